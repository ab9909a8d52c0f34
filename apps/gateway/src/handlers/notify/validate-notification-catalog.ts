import type { notifyOperations } from "@platform/contracts/operations/notify";
import { steadyNowMs } from "@platform/kit/rpc/client";
import type { PreparedHandler } from "../../handler.ts";

/** Longest time that the response waits for the record that operators compare the catalog with. */
const recordedMs = 1_000;

/** The contract has validated the entries, and the digest needs no service. A catalog is therefore also validated while notify-svc cannot store it. */
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
