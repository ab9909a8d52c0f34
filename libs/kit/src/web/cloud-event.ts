import { defined } from "../process/defined.ts";

/** A numbered Domain Event as it is sent to receivers. */
export type ToldEvent = {
  readonly position: number;
  readonly event: {
    readonly id: string;
    readonly project_client_id: string;
    readonly type: string;
    readonly schema_version: number;
    /** The publisher's JSON, byte for byte. */
    readonly data_json: string;
    readonly stream_id: string | null;
    readonly sequence: number | null;
    readonly occurred_at: Date | null;
    readonly published_at: Date;
    readonly origin: "client" | "platform";
  };
};

/**
 * A Domain Event as CloudEvents 1.0 in its structured JSON form (CloudEvents JSON format §3). The caller's JSON is inserted byte for byte. Extension
 * attributes: position in the client's log, and stream and sequence where the event has them.
 * @param hasData false omits the data and marks the event so, for a relay with a size limit
 */
export function toCloudEvent({ position, event }: ToldEvent, hasData = true): string {
  const attributes = {
    specversion: "1.0",
    id: event.id,
    source: `${event.origin === "platform" ? "/platform" : ""}/project-clients/${event.project_client_id}`,
    type: event.type,
    // The time of the occurrence, if the publisher gave it (CloudEvents §time).
    time: (event.occurred_at ?? event.published_at).toISOString(),
    datacontenttype: "application/json",
    publishedtime: event.published_at.toISOString(),
    schemaversion: `${event.schema_version}`,
    position: `${position}`,
    ...defined({ streamid: event.stream_id }),
    ...(event.sequence === null ? {} : { sequence: `${event.sequence}` }),
    ...(hasData ? {} : { dataomitted: true }),
  };
  const text = JSON.stringify(attributes);
  return hasData ? `${text.slice(0, -1)},"data":${event.data_json}}` : text;
}
