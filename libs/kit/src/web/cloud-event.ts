import { defined } from "../process/defined.ts";

/** A Domain Event with its position in the log, as it is sent to receivers. */
export type ToldEvent = {
  readonly position: number;
  readonly event: {
    readonly id: string;
    readonly project_client_id: string;
    readonly type: string;
    readonly schema_version: number;
    /** JSON as the publisher sent it, byte for byte. */
    readonly data_json: string;
    readonly stream_id: string | null;
    readonly sequence: number | null;
    readonly occurred_at: Date | null;
    readonly published_at: Date;
    readonly origin: "client" | "platform";
  };
};

/**
 * Writes a Domain Event as CloudEvents 1.0 in structured JSON form (CloudEvents JSON format §3). The publisher's JSON
 * is inserted byte for byte. Extension attributes contain the position in the client's log, and the stream and sequence
 * of events that have them.
 * @param hasData false omits the data and marks the event accordingly, for a relay with a size limit
 */
export function toCloudEvent({ position, event }: ToldEvent, hasData = true): string {
  const attributes = {
    specversion: "1.0",
    id: event.id,
    source: `${event.origin === "platform" ? "/platform" : ""}/project-clients/${event.project_client_id}`,
    type: event.type,
    // CloudEvents defines `time` as the time of the occurrence, which not every publisher gives.
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
