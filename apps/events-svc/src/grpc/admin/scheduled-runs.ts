import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { isUuid, type Keyring } from "@platform/kit/process/secrets";
import { type Implementation, implementForOperators } from "@platform/kit/rpc/server";
import { isSigningSecret } from "@platform/kit/web/webhooks";
import { ScheduledRunAdminService } from "@platform/proto/events/v1/scheduled_run_admin";
import { listFailedRuns, redriveBatch } from "../../store/failed-runs.ts";
import { rotateSecret } from "../../store/rotate-secret.ts";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { findOperation } from "../../store/scheduled-operations.ts";
import { found, operatorError } from "./schedule-messages.ts";

type Rpcs = Implementation<typeof ScheduledRunAdminService>;
type Deps = { readonly keyring: Keyring; readonly clock: () => Date };

const overlapSecondsDefault = 86_400;
const overlapSecondsMax = 30 * 86_400;
const secretLength = { min: 32, max: 255 } as const;

/** Operator RPCs that find and repeat failed runs, and replace secrets. */
export function scheduledRunAdmin(models: ScheduleModels, { keyring, clock }: Deps) {
  const implementation: Rpcs = {
    listFailedRuns: async ({ projectClientId, since, until, limit, cursor }) => {
      const clientId = projectClientId === "" ? null : requireClientId(projectClientId);
      const { items, nextCursor } = await listFailedRuns(models, clientId, spanOf(since, until), { limit, cursor });
      return {
        runs: items.map(({ run, operation }) => {
          const last = run.attempts.at(-1);
          const error = run.error ?? last?.error ?? null;
          return {
            id: run._id,
            projectClientId: run.project_client_id,
            operationId: run.operation_id,
            operationName: operation?.name ?? "",
            scheduledFor: timestampFromDate(run.scheduled_for),
            attempts: run.attempt_count,
            ...defined({ statusCode: last?.status_code, error }),
          };
        }),
        nextCursor,
      };
    },
    redriveRuns: async ({ projectClientId, since, until, dryRun, limit, cursor }) => {
      const clientId = requireClientId(projectClientId);
      if (since === undefined) throw operatorError("since is required: from when.");
      const options = { isDryRun: dryRun, now: clock() };
      return redriveBatch(models, clientId, spanOf(since, until), { limit, cursor }, options);
    },
    rotateScheduledSecret: async ({ operationId, secret, overlapSeconds = overlapSecondsDefault }) => {
      found(await findOperation(models, operationId), "scheduled operation");
      const length = [...secret].length;
      if (length < secretLength.min || length > secretLength.max || !isSigningSecret(secret)) {
        throw operatorError("A secret has 32 to 255 characters; with whsec_ in front, base64 follows it.");
      }
      if (overlapSeconds > overlapSecondsMax) throw operatorError(`The overlap is at most ${overlapSecondsMax} s.`);
      const now = clock();
      const previousUntil = new Date(now.getTime() + overlapSeconds * 1_000);
      if (!(await rotateSecret(models, keyring, operationId, secret, { now, previousUntil }))) {
        throw operatorError("Another rotation came first; look at it and repeat.");
      }
      return { operationId, ...(overlapSeconds === 0 ? {} : { previousUntil: timestampFromDate(previousUntil) }) };
    },
  };
  return implementForOperators(ScheduledRunAdminService, implementation);
}

function requireClientId(id: string): string {
  if (!isUuid(id)) throw operatorError("project_client_id must be the UUID of a Project Client.");
  return id.toLowerCase();
}

function spanOf(since: Timestamp | undefined, until: Timestamp | undefined) {
  return {
    since: since === undefined ? null : timestampDate(since),
    until: until === undefined ? null : timestampDate(until),
  };
}
