import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import { collectionOf, createGroupCommit, type IdempotencyClaim, insertOnce } from "@platform/kit/store/documents";
import type { PlatformFact } from "@platform/operator-plane/platform-events";
import type { DomainEvent, DomainEventInput } from "../domain/domain-event.ts";
import { partitionOf } from "../domain/partition.ts";
import {
  type DomainEventDocument,
  type EventModels,
  timestampOfInsertion,
  toDomainEvent,
} from "./domain-event-model.ts";

/** Publishes Domain Events into their clients' logs. */
export type EventPublisher = {
  /** @throws ServiceError idempotency_key_reused, stream_sequence_conflict */
  publish(
    clientId: string,
    input: DomainEventInput,
    claim: IdempotencyClaim,
    correlationId?: string,
  ): Promise<{ event: DomainEvent; replayed: boolean }>;
  /** Publishes a fact about which the platform itself reports. A repeated key publishes nothing. */
  publishFact(clientId: string, fact: PlatformFact): Promise<DomainEvent>;
};

export type EventPublisherOptions = {
  readonly clock: () => Date;
  /** True if events are relayed to NATS. */
  readonly isRelayed: boolean;
  /** Called for each stored event, so that it is numbered soon. */
  readonly onPublished: () => void;
};

/**
 * Creates the publisher. One insert publishes an event: it claims the idempotency key and the stream's sequence, and
 * marks the event as unnumbered and to be relayed. Nothing has to be read before it.
 */
export function createEventPublisher(models: EventModels, options: EventPublisherOptions): EventPublisher {
  const { clock, isRelayed, onPublished } = options;
  const group = createGroupCommit<DomainEventDocument>(models.events);
  /**
   * Called if the insert failed although the key is new. Throws a conflict if the stream already contains the
   * sequence.
   */
  const checkOtherKeys = async (document: DomainEventDocument): Promise<void> => {
    const { project_client_id, stream_id, sequence } = document;
    if (stream_id === undefined || sequence === undefined) return;
    const holder = await collectionOf(models.events).findOne({ project_client_id, stream_id, sequence });
    if (holder === null) return;
    throw new ServiceError(
      "stream_sequence_conflict",
      "This stream already has an event with this sequence; give each event of a stream its own.",
      { details: { stream_id, sequence } },
    );
  };
  const publish = async (
    clientId: string,
    input: DomainEventInput,
    claim: IdempotencyClaim,
    made: Pick<DomainEventDocument, "origin" | "correlation_id">,
  ): Promise<{ event: DomainEvent; replayed: boolean }> => {
    const { stream_id, sequence, ...fields } = input;
    const document: DomainEventDocument = {
      _id: newId(),
      project_client_id: clientId,
      ...fields,
      ...(stream_id === null || sequence === null ? {} : { stream_id, sequence }),
      published_at: clock(),
      inserted: timestampOfInsertion(),
      unnumbered: true,
      partition: partitionOf(clientId),
      relay_state: isRelayed ? "pending" : "off",
      ...made,
      idempotency_key: claim.key,
      idempotency_fingerprint: claim.fingerprint,
    };
    const stored = await insertOnce(models.events, document, { insert: group.insert, checkOtherKeys });
    onPublished();
    return { event: toDomainEvent(stored.document), replayed: stored.replayed };
  };
  return {
    publish: (clientId, input, claim, correlationId) =>
      publish(clientId, input, claim, defined({ correlation_id: correlationId })),
    publishFact: async (clientId, { key, type, data_json, occurred_at }) => {
      const input = { type, schema_version: 1, data_json, stream_id: null, sequence: null, occurred_at };
      // The key contains a space, so that it cannot be a client's key.
      const claim = { key: `platform ${key}`, fingerprint: "platform" };
      return (await publish(clientId, input, claim, { origin: "platform" })).event;
    },
  };
}
