/** A published Domain Event as its publisher and its consumers see it. */
export type DomainEvent = {
  readonly id: string;
  readonly project_client_id: string;
  readonly type: string;
  readonly schema_version: number;
  /** The caller's JSON object, unchanged byte for byte. */
  readonly data_json: string;
  readonly stream_id: string | null;
  readonly sequence: number | null;
  readonly occurred_at: Date | null;
  readonly published_at: Date;
  /** The publisher: the client, or the platform if the event is about the client. */
  readonly origin: "client" | "platform";
};

/** The publisher's part of an event. */
export type DomainEventInput = Omit<DomainEvent, "id" | "project_client_id" | "published_at" | "origin">;

/** A numbered event of a client's log. */
export type LoggedEvent = { readonly position: number; readonly event: DomainEvent };
