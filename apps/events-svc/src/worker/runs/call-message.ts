import { toCloudEvent } from "@platform/kit/web/webhooks";
import type { LoggedEvent } from "../../domain/domain-event.ts";
import type { CallableOperation } from "../../store/callable-operations.ts";
import type { ClaimedRun } from "../../store/run-queue.ts";
import type { CallMessage } from "./call-target.ts";

/** Builds the body of a scheduled or invoked call. */
export function invocationMessage(operation: CallableOperation, { document: run }: ClaimedRun): CallMessage {
  const body = JSON.stringify({
    operation_id: operation.id,
    name: operation.name,
    invocation_id: run._id,
    scheduled_for: run.scheduled_for.toISOString(),
    attempt: run.attempt_count + 1,
  });
  return { webhookId: run._id, contentType: "application/json", body: { text: body } };
}

/**
 * Builds the body of a subscription's call: the event as CloudEvents 1.0. It is the same for every attempt and
 * replay.
 */
export function eventMessage(logged: LoggedEvent): CallMessage {
  return {
    webhookId: logged.event.id,
    contentType: "application/cloudevents+json",
    body: { text: toCloudEvent(logged) },
  };
}
