import type { notifyOperations } from "@platform/contracts/operations/notify";
import { steadyNowMs } from "@platform/kit/rpc/client";
import type { PreparedHandler } from "../../handler.ts";

/**
 * Longest time that the response waits for notify-svc to record the catalog, in milliseconds. Operators compare
 * catalogs with this record.
 */
const recordedMs = 1_000;

/**
 * The contract has validated the entries, and the digest needs no service. The operation therefore also works while
 * notify-svc cannot record the catalog.
 */
export const validateNotificationCatalog: PreparedHandler<
  typeof notifyOperations,
  "notify.validateNotificationCatalog"
> = async ({ body: { digest, entries }, call }, upstreams) => {
  const deadlineMs = Math.min(call.deadlineMs ?? Number.POSITIVE_INFINITY, steadyNowMs() + recordedMs);
  await upstreams.notify.catalogs
    .recordValidatedCatalog({ digest, entries }, { ...call, deadlineMs })
    .catch(() => undefined);
  return { data: { entries: entries.length, digest } };
};
