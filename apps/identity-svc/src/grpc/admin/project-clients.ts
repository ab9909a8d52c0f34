import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { dependencyUnavailable, ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import { invalidRequest } from "@platform/operator-plane/operators";
import type { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { quotaWindowOf, quotaWindows } from "@platform/quota/quota-windows";
import { type Environment, environments, isEnvironment } from "../../domain/environment.ts";
import type { ProjectClient } from "../../domain/project-client.ts";
import { isScope } from "../../domain/project-credential.ts";
import { effectiveQuotaLimits, isQuotaLimit } from "../../domain/quota-defaults.ts";
import { returnUriProblem } from "../../domain/return-uri.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { namedProjectClientMessage, projectClientMessage } from "../messages.ts";
import { projectClientNotFound, requireText } from "./refuse.ts";

type Rpcs = Implementation<typeof ProjectClientAdminService>;

const returnUrisMax = 50;
const pageSizeMax = 500;
const nameLengthMax = 120;

/** RPCs by which operators create, change and disable Project Clients. */
export function projectClientRpcs(context: IdentityContext) {
  const shown = (client: ProjectClient) => ({ projectClient: projectClientMessage(client, context.quotaDefaults) });
  const changed = async (clientId: string, change: Parameters<IdentityContext["clients"]["update"]>[1]) => {
    const updated = await context.clients.update(clientId, change);
    if (updated === null) throw projectClientNotFound();
    await context.announceChange({ kind: "client", id: clientId });
    return shown(updated);
  };
  return {
    createProjectClient: async ({ name, environment, returnUris }) => {
      if (!isEnvironment(environment)) {
        throw invalidRequest("/environment", `must be one of ${environments.join(", ")}`);
      }
      const client = {
        id: newId(),
        name: requireText("/name", name, nameLengthMax),
        environment,
        return_uris: checkedReturnUris(returnUris, environment),
        quota_limits: {},
        disabled_at: null,
        created_at: context.clock(),
      };
      await context.clients.insert(client);
      return shown(client);
    },
    listProjectClients: async ({ afterId, pageSize, namesOnly }) => {
      const count = pageSize <= 0 ? pageSizeMax : Math.min(pageSize, pageSizeMax);
      if (namesOnly) {
        const named = await context.clients.listNamesAfter(afterId, count);
        return { projectClients: named.map(namedProjectClientMessage) };
      }
      const clients = await context.clients.listAfter(afterId, count);
      return { projectClients: clients.map((client) => projectClientMessage(client, context.quotaDefaults)) };
    },
    showProjectClient: async ({ projectClientId }) => shown(await requireProjectClient(context, projectClientId)),
    updateProjectClient: async ({ projectClientId, name, allowedScopes, successRatio, returnUris, platformEvents }) => {
      const current = await requireProjectClient(context, projectClientId);
      const change = {
        ...(name === undefined ? {} : { name: requireText("/name", name, nameLengthMax) }),
        ...(allowedScopes === undefined ? {} : { allowed_scopes: checkedScopes(allowedScopes.values) }),
        ...(successRatio === undefined ? {} : { success_ratio: checkedRatio(successRatio) }),
        // The environment never changes, so the value that was read above is still valid for this write.
        ...(returnUris === undefined ? {} : { return_uris: checkedReturnUris(returnUris.values, current.environment) }),
        ...defined({ platform_events: platformEvents }),
      };
      if (Object.keys(change).length === 0) throw invalidRequest("/", "names nothing to change");
      return changed(projectClientId, change);
    },
    setPlatformEvents: async ({ projectClientId, on }) => changed(projectClientId, { platform_events: on }),
    setReturnUris: async ({ projectClientId, returnUris }) => {
      const { environment } = await requireProjectClient(context, projectClientId);
      return changed(projectClientId, { return_uris: checkedReturnUris(returnUris, environment) });
    },
    disableProjectClient: async ({ projectClientId }) => {
      const client = await context.clients.setDisabled(projectClientId, context.clock());
      if (client === null) throw projectClientNotFound();
      await context.announceChange({ kind: "client", id: projectClientId });
      return shown(client);
    },
    enableProjectClient: async ({ projectClientId }) => {
      const client = await context.clients.setDisabled(projectClientId, null);
      if (client === null) {
        await requireProjectClient(context, projectClientId);
        throw new ServiceError("project_client_erased", "This Project Client was erased; make another one.");
      }
      await context.announceChange({ kind: "client", id: projectClientId });
      return shown(client);
    },
  } satisfies Partial<Rpcs>;
}

/** RPCs by which operators read and change the quotas of a Project Client. */
export function quotaRpcs(context: IdentityContext) {
  return {
    setQuota: async ({ projectClientId, resource, limit }) => {
      if (!Object.hasOwn(quotaWindows, resource)) {
        throw invalidRequest("/resource", `must be one of ${Object.keys(quotaWindows).join(", ")}`);
      }
      if (!isQuotaLimit(Number(limit))) throw invalidRequest("/limit", "must be an integer of at least 1");
      const client = await context.clients.setQuotaLimit(projectClientId, resource, Number(limit));
      if (client === null) throw projectClientNotFound();
      await context.announceChange({ kind: "client", id: projectClientId });
      const quota = (await quotaStates(context, client)).find((state) => state.resource === resource);
      return defined({ quota });
    },
    showQuotas: async ({ projectClientId }) => ({
      quotas: await quotaStates(context, await requireProjectClient(context, projectClientId)),
    }),
  } satisfies Partial<Rpcs>;
}

async function requireProjectClient(context: IdentityContext, id: string): Promise<ProjectClient> {
  const client = await context.clients.find(id);
  if (client === null) throw projectClientNotFound();
  return client;
}

/** Returns the scopes without duplicates, and rejects any that has the wrong form. */
function checkedScopes(scopes: readonly string[]): string[] {
  for (const [index, scope] of scopes.entries()) {
    if (!isScope(scope)) throw invalidRequest(`/allowed_scopes/${index}`, "has not the form resource:act");
  }
  return [...new Set(scopes)];
}

function checkedRatio(ratio: number): number {
  if (!(ratio >= 0 && ratio <= 1)) throw invalidRequest("/success_ratio", "must be from 0 to 1");
  return ratio;
}

/** Returns the return_uris without duplicates, and rejects any that is not permitted. */
function checkedReturnUris(uris: readonly string[], environment: Environment): string[] {
  if (uris.length > returnUrisMax) throw invalidRequest("/return_uris", `must be at most ${returnUrisMax}`);
  for (const [index, uri] of uris.entries()) {
    const problem = returnUriProblem(uri, environment);
    if (problem !== null) throw invalidRequest(`/return_uris/${index}`, problem);
  }
  return [...new Set(uris)];
}

/** Returns every resource with its effective limit and its current use, which is read from the counters. */
async function quotaStates(context: IdentityContext, client: ProjectClient) {
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
