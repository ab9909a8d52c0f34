import type { eventsOperations } from "@platform/contracts/operations/events";
import type { Handler } from "../../handler.ts";

/** Registers the endpoint of a scheduled operation. */
export const registerScheduledOperation: Handler<
  (typeof eventsOperations)["events.registerScheduledOperation"]
> = async ({ body, call }, upstreams) => {
  const { id, replayed } = await upstreams.events.schedules.registerScheduledOperation(
    { name: body.name, url: body.url, secret: body.secret, maxAttempts: body.max_attempts },
    { ...call, retryUnavailable: true },
  );
  return { data: { id }, replayed };
};
