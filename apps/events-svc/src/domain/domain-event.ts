/** A published Domain Event as its publisher and its consumers see it. */
export type DomainEvent = {
  readonly id: string;
  readonly project_client_id: string;
  readonly type: string;
  readonly schema_version: number;
  /** The caller's JSON object, byte for byte. */
  readonly data_json: string;
  readonly stream_id: string | null;
  readonly sequence: number | null;
  readonly occurred_at: Date | null;
  readonly published_at: Date;
  /** Who published it: the client, or the platform about the client. */
  readonly origin: "client" | "platform";
};

/** What the publisher gives; the rest is ours. */
export type DomainEventInput = Omit<DomainEvent, "id" | "project_client_id" | "published_at" | "origin">;

/** An event at its place in its client's log. */
export type LoggedEvent = { readonly position: number; readonly event: DomainEvent };

/** In the place of a Project Client's id: the log of what the platform has to tell its operators. No client has the nil UUID. */
export const platformLogId = "00000000-0000-0000-0000-000000000000";
