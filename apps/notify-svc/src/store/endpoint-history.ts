import { defined } from "@platform/kit/process/fields";
import type { DeliveryEndpoint } from "../domain/endpoint.ts";
import {
  type ChangeCause,
  type EndpointChanger,
  type EndpointEvent,
  type EndpointEventKind,
  eventsBetween,
} from "../domain/endpoint-history.ts";

/**
 * An event of an endpoint. It is stored in the endpoint's document, so that one write contains both the change and
 * its record.
 */
export type EndpointEventRecord = {
  at: Date;
  what: EndpointEventKind;
  by: EndpointChanger;
  purpose?: string;
  detail?: string;
  correlation_id?: string;
  delivery_id?: string;
};

/** An event, with its time and its cause. */
export type DatedEndpointEvent = EndpointEvent & ChangeCause & { readonly at: Date };

/**
 * Maximum number of stored events. Without it, a consent that is granted and withdrawn again and again could fill the
 * document.
 */
const eventsMax = 50;

/** Returns the history after a change, oldest event first. */
export function historyAfter(
  history: readonly EndpointEventRecord[],
  [before, next]: readonly [DeliveryEndpoint | null, DeliveryEndpoint],
  cause: ChangeCause,
  at: Date,
): EndpointEventRecord[] {
  const added = eventsBetween(before, next).map(({ what, purpose, detail }) => ({
    at,
    what,
    by: cause.by,
    ...defined({ purpose, detail, correlation_id: cause.correlationId, delivery_id: cause.deliveryId }),
  }));
  return [...history, ...added].slice(-eventsMax);
}

export function toEndpointEvent(record: EndpointEventRecord): DatedEndpointEvent {
  return {
    at: record.at,
    what: record.what,
    by: record.by,
    purpose: record.purpose ?? null,
    detail: record.detail ?? null,
    correlationId: record.correlation_id ?? null,
    ...defined({ deliveryId: record.delivery_id }),
  };
}
