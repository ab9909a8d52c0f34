import type { Implementation } from "@platform/kit/rpc/server";
import { invalidRequest } from "@platform/operator-plane/operators";
import type { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { quotaWindows } from "@platform/quota/quota-windows";
import { isQuotaLimit } from "../../domain/quota-defaults.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { projectClientNotFound } from "./refuse.ts";
import { quotaStates } from "./show-quotas.ts";

type Rpc = Implementation<typeof ProjectClientAdminService>["setQuota"];

export function setQuota(context: IdentityContext): Rpc {
  return async ({ projectClientId, resource, limit }) => {
    if (!Object.hasOwn(quotaWindows, resource)) {
      throw invalidRequest("/resource", `must be one of ${Object.keys(quotaWindows).join(", ")}`);
    }
    if (!isQuotaLimit(Number(limit))) throw invalidRequest("/limit", "must be an integer of at least 1");
    const client = await context.clients.setQuotaLimit(projectClientId, resource, Number(limit));
    if (client === null) throw projectClientNotFound();
    await context.announceChange({ kind: "client", id: projectClientId });
    const quota = (await quotaStates(context, client)).find((state) => state.resource === resource);
    return quota === undefined ? {} : { quota };
  };
}
