import { defined } from "@platform/kit/process/fields";
import { isUuid } from "@platform/kit/process/secrets";
import { type Implementation, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { RetentionAdminService } from "@platform/proto/operator/v1/retention_admin";
import { invalidRequest } from "../operators/operator-request-error.ts";
import type { Retention, RetentionStore } from "./retention-settings.ts";

const daysMax = 3_650;

/** Serves a service's retention settings. */
export function retentionAdmin(store: Pick<RetentionStore, "defaults" | "show" | "set">): ServedService {
  const implementation: Implementation<typeof RetentionAdminService> = {
    showRetention: async ({ projectClientId }) => ({
      retentions: (await store.show(requireClientId(projectClientId))).map(toMessage),
    }),
    setRetention: async ({ projectClientId, kind, days }) => {
      const clientId = requireClientId(projectClientId);
      if (!Object.hasOwn(store.defaults, kind)) {
        throw invalidRequest("/kind", `must be ${Object.keys(store.defaults).join(" or ")} here`);
      }
      if (days < 1 || days > daysMax) throw invalidRequest("/days", `must be from 1 to ${daysMax}`);
      await store.set(clientId, kind, days);
      return { retention: toMessage({ kind, days, isDefault: false }) };
    },
  };
  return implementForOperators(RetentionAdminService, implementation);
}

function toMessage({ kind, days, isDefault }: Retention) {
  return { kind, isDefault, ...defined({ days }) };
}

function requireClientId(id: string): string {
  if (!isUuid(id)) throw invalidRequest("/project_client_id", "must be the UUID of a Project Client");
  return id.toLowerCase();
}
