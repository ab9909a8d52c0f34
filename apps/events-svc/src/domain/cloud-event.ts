import type { LoggedEvent } from "./domain-event.ts";

/**
 * A Domain Event as CloudEvents 1.0 in its structured JSON form (CloudEvents JSON format §3). The caller's JSON is put in as it is, so
 * that it arrives byte for byte. Extension attributes: position in the client's log, and stream and sequence where the event has them.
 * @param hasData false leaves the data out and says so, for a relay that takes no message of this size
 */
export function toCloudEvent({ position, event }: LoggedEvent, hasData = true): string {
  const attributes = {
    specversion: "1.0",
    id: event.id,
    source: `${event.origin === "platform" ? "/platform" : ""}/project-clients/${event.project_client_id}`,
    type: event.type,
    // The time of the occurrence, when the publisher knows it (CloudEvents §time).
    time: (event.occurred_at ?? event.published_at).toISOString(),
    datacontenttype: "application/json",
    publishedtime: event.published_at.toISOString(),
    schemaversion: `${event.schema_version}`,
    position: `${position}`,
    ...(event.stream_id === null ? {} : { streamid: event.stream_id }),
    ...(event.sequence === null ? {} : { sequence: `${event.sequence}` }),
    ...(hasData ? {} : { dataomitted: true }),
  };
  const text = JSON.stringify(attributes);
  return hasData ? `${text.slice(0, -1)},"data":${event.data_json}}` : text;
}

/** Subject an event is relayed under: `domain-events.<client>.<type>`. Where dots of the type would leave a part empty, it is `_`. */
export function relaySubject({ event }: LoggedEvent): string {
  const parts = event.type.split(".").map((part) => (part === "" ? "_" : part));
  return `domain-events.${event.project_client_id}.${parts.join(".")}`;
}
