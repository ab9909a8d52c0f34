import { dependencyUnavailable } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import type { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { quotaWindowOf } from "@platform/quota/quota-windows";
import type { ProjectClient } from "../../domain/project-client.ts";
import { effectiveQuotaLimits } from "../../domain/quota-defaults.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { projectClientNotFound } from "./refuse.ts";

type Rpc = Implementation<typeof ProjectClientAdminService>["showQuotas"];

export function showQuotas(context: IdentityContext): Rpc {
  return async ({ projectClientId }) => {
    const client = await context.clients.find(projectClientId);
    if (client === null) throw projectClientNotFound();
    return { quotas: await quotaStates(context, client) };
  };
}

/** Every resource with its use, read from the counters, and its effective limit. */
export async function quotaStates(context: IdentityContext, client: ProjectClient) {
  const limits = Object.entries(effectiveQuotaLimits(context.quotaDefaults, client));
  try {
    return await Promise.all(
      limits.map(async ([resource, limit]) => ({
        resource,
        used: BigInt(await context.quota.used(client.id, resource)),
        limit: BigInt(limit),
        window: quotaWindowOf(resource),
      })),
    );
  } catch (error) {
    throw dependencyUnavailable(error);
  }
}
