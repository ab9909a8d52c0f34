import { timestampDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { isUuid } from "@platform/kit/process/secrets";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { RecordSearchAdminService } from "@platform/proto/operator/v1/record_search_admin";
import { invalidRequest } from "../operators/operator-request-error.ts";
import { createCallerQueue } from "./caller-limit.ts";
import type { RecordSearch } from "./record-search.ts";

const textLengthMax = 255;
const clientsMax = 5_000;
const sinceDaysMax = 31;
const dayMs = 86_400_000;
/** Maximum number of one person's searches that may wait in this process. */
const waitingMax = 3;

/** Serves the search for records of a service. */
export function recordSearchAdmin(search: RecordSearch, clock: () => Date): ServedService {
  const queue = createCallerQueue(waitingMax, "searches");
  return implementForOperators(RecordSearchAdminService, {
    findRecords: async ({ text, projectClientIds, since }, call) => {
      if (text === "" || text.length > textLengthMax)
        throw invalidRequest("/text", `must have 1 to ${textLengthMax} characters`);
      if (projectClientIds.length > clientsMax)
        throw invalidRequest("/project_client_ids", `are at most ${clientsMax}`);
      if (!projectClientIds.every(isUuid)) throw invalidRequest("/project_client_ids", "must be UUIDs");
      const clientIds = projectClientIds.map((id) => id.toLowerCase());
      const from = since === undefined ? null : timestampDate(since);
      if (from !== null && from.getTime() < clock().getTime() - sinceDaysMax * dayMs)
        throw invalidRequest("/since", `must be at most ${sinceDaysMax} days ago`);
      const { records, isPartial } = await queue.run(call.operator?.subject ?? "", call.signal, () =>
        search.find(text, clientIds, from, clock()),
      );
      // The search finds an id whichever client owns the record, but an assertion for one client must not reveal
      // records of others.
      const only = call.operator?.onlyClientId?.toLowerCase();
      const visible = records.filter(({ projectClientId }) => only === undefined || projectClientId === only);
      return {
        isPartial,
        records: visible.map(({ kind, id, projectClientId, label, matched, createdAt, parentId, position }) => ({
          kind,
          id,
          label,
          matched,
          ...defined({ projectClientId, parentId }),
          ...optionalTimestamp("createdAt", createdAt),
          ...(position === null ? {} : { position: BigInt(position) }),
        })),
      };
    },
  });
}
