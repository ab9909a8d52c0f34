import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { type Implementation, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { invalidRequest } from "@platform/operator-plane/operators";
import {
  ProjectClientSearchAdminService,
  type RequestHourSchema,
} from "@platform/proto/identity/v1/project_client_search_admin";
import { quotaWindows } from "@platform/quota/quota-windows";
import { environments, isEnvironment } from "../../domain/environment.ts";
import type { IdentityContext } from "../../identity-context.ts";
import type { FoundProjectClient } from "../../store/project-client-search.ts";
import { projectClientMessage } from "../messages.ts";

type Rpcs = Implementation<typeof ProjectClientSearchAdminService>;

const hourMs = 3_600_000;
/** Number of hours whose requests are counted, including the current one. */
const requestHours = 24;
const states = ["active", "disabled"];
const sorts = ["created", "name"] as const;

/**
 * Quotas whose window is a minute are left out, because the window ends before anyone could look at it; alerts
 * exclude them as well.
 */
const watchedResources = Object.keys(quotaWindows).filter((resource) => quotaWindows[resource] !== "minute");

/** RPCs by which operators find Project Clients, including those that need attention. */
export function projectClientSearch(context: IdentityContext): ServedService {
  const implementation: Rpcs = {
    findProjectClients: async ({ text, environment, state, sort, limit, cursor, withRequests, withoutTotal }) => {
      if (environment !== "" && !isEnvironment(environment))
        throw invalidRequest("/environment", `must be one of ${environments.join(", ")}`);
      if (state !== "" && !states.includes(state)) throw invalidRequest("/state", `must be ${states.join(" or ")}`);
      const order = sorts.find((each) => each === (sort || "created"));
      if (order === undefined) throw invalidRequest("/sort", `must be ${sorts.join(" or ")}`);
      const filter = {
        text: text.trim() || null,
        environment: environment === "" ? null : environment,
        isDisabled: state === "" ? null : state === "disabled",
      };
      const page = { limit, cursor };
      const wanted = { isTotalWanted: !withoutTotal };
      const { items, nextCursor, total } = await context.clientSearch.find(filter, order, page, wanted);
      const hoursOf = withRequests ? await requestHoursOf(context, items) : () => [];
      return {
        found: items.map(({ client, lastSeenAt }) => ({
          projectClient: projectClientMessage(client, context.quotaDefaults),
          createdAt: timestampFromDate(client.created_at),
          ...optionalTimestamp("lastSeenAt", lastSeenAt),
          requestHours: hoursOf(client.id),
        })),
        nextCursor,
        total,
      };
    },
    listReachedQuotas: async () => {
      const quotas = await context.reachedQuotas.list(watchedResources);
      return {
        quotas: quotas.map(({ resource, clients, projectClientIds, since }) => ({
          resource,
          clients,
          projectClientIds: [...projectClientIds],
          since: timestampFromDate(since),
        })),
      };
    },
  };
  return implementForOperators(ProjectClientSearchAdminService, implementation);
}

/** Reads the requests of a page of clients in one query. @returns the hours of a client's id, as messages */
async function requestHoursOf(
  { usage, clock }: Pick<IdentityContext, "usage" | "clock">,
  page: readonly FoundProjectClient[],
): Promise<(clientId: string) => MessageInitShape<typeof RequestHourSchema>[]> {
  const thisHourMs = Math.floor(clock().getTime() / hourMs) * hourMs;
  const since = new Date(thisHourMs - (requestHours - 1) * hourMs);
  const ids = page.map(({ client }) => client.id);
  const byClient = Map.groupBy(await usage.requestHours(ids, since), ({ clientId }) => clientId);
  return (clientId) =>
    (byClient.get(clientId) ?? []).map(({ at, requests, refused }) => ({
      at: timestampFromDate(at),
      requests: BigInt(requests),
      refused: BigInt(refused),
    }));
}
