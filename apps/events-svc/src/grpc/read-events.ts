import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Release } from "@platform/kit/jobs/pacing";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation, ServerCall } from "@platform/kit/rpc/server";
import type { DisabledClients } from "@platform/operator-plane/clients";
import { type Machine, type MachineTokens, machineOf, requireBinding } from "@platform/operator-plane/machines";
import { invalidRequest } from "@platform/operator-plane/operators";
import { createCallerLimit } from "@platform/operator-plane/search";
import type {
  DomainEventConsumerService,
  ReadEventsRequest,
  ReadEventsResponseSchema,
} from "@platform/proto/events/v1/events_consumer";
import { compileTypes, typePatternsProblem } from "../domain/type-pattern.ts";
import type { ConsumerPositionModel } from "../store/consumer-positions.ts";
import type { EventModels } from "../store/domain-event-model.ts";
import { createLogFollower } from "../store/follow-logs.ts";
import { eventsAfter, firstPage, lastPosition, lastPositions, pageAfter } from "../store/read-events.ts";
import { requireKeptFrom } from "./admin/kept-events.ts";
import { toDomainEventMessage } from "./domain-event-message.ts";
import { holdPosition } from "./hold-position.ts";

/** Maximum number of streams of one consumer, or of one operator, in this process. */
const streamsMax = 8;
/** Maximum number of streams of one project's consumers and members together, in this process. */
const streamsOfProjectMax = 64;
/**
 * A filtered reader receives a checkpoint after this many events that did not match, so that it need not read them
 * again. It also receives one when it first reaches the end of the log.
 */
const checkpointEvery = 1_000;

/** Maximum time in milliseconds for which a stream stays open after its token has become invalid. */
const checkEveryMs = 1_000;

/**
 * Maximum duration of a consumer's stream, in milliseconds. Its reader then opens another one after the last position
 * that it has handled. This tells the platform which events it need not keep for that reader.
 */
const streamMsMax = 3_600_000;

type ReadEventsOptions = {
  /** Aborts when the server stops. The stream then ends, and its reader resumes at another server. */
  readonly closing: AbortSignal;
  readonly consumers: MachineTokens;
  readonly consumerPositions: ConsumerPositionModel;
  readonly clock: () => Date;
  readonly disabledClients: Promise<Pick<DisabledClients, "has">>;
  /** Replaces the maximum duration of a consumer's stream; by default it is an hour. */
  readonly streamMsMax?: number;
};

type StreamEvents = (
  request: ReadEventsRequest,
  call: ServerCall,
  consumer: Machine | null,
) => AsyncGenerator<MessageInitShape<typeof ReadEventsResponseSchema>>;

/**
 * Streams a client's log with back-pressure: the next events are read when the reader has received the previous ones. A
 * consumer reads the log of its token's client, as long as the token is valid and the client is enabled. A consumer or
 * operator has at most 8 streams per process, and the consumers and members of a project have at most 64 together.
 */
export function readEvents(
  models: EventModels,
  options: ReadEventsOptions,
): Implementation<typeof DomainEventConsumerService>["readEvents"] {
  const { closing, consumers, consumerPositions, clock, disabledClients } = options;
  const checkConsumer = async (call: ServerCall, projectClientId: string): Promise<Machine | null> => {
    const consumer = await machineOf(consumers, call, clock());
    if (consumer === null) return null;
    requireBinding(consumer, projectClientId, "Project Client");
    if ((await disabledClients).has(projectClientId)) {
      throw new ServiceError("project_client_disabled", "This Project Client is disabled.");
    }
    return consumer;
  };
  const follower = createLogFollower((clientIds) => lastPositions(models, clientIds));
  const streams = createCallerLimit(streamsMax, "streams of events");
  const streamsOfProject = createCallerLimit(streamsOfProjectMax, "streams of this project's events");
  /** Acquires the permits of a stream. Streams of operators do not count for the project, so that it cannot keep them out. */
  const enter = (call: ServerCall, consumer: Machine | null, projectClientId: string): Release => {
    const leave = streams.enter(consumer?.id ?? call.operator?.subject ?? "");
    if (consumer === null && call.operator?.roles.length !== 0) return leave;
    try {
      const leaveProject = streamsOfProject.enter(projectClientId);
      return () => {
        leave();
        leaveProject();
      };
    } catch (error) {
      leave();
      throw error;
    }
  };
  const stream: StreamEvents = async function* ({ projectClientId, afterPosition, types }, call, consumer) {
    const isWanted = compileTypes(types.length === 0 ? ["*"] : types);
    let checkedAtMs = performance.now();
    const ended = AbortSignal.any([call.signal, closing]);
    const last = await lastPosition(models, projectClientId);
    const start = afterPosition === undefined ? last : checkPosition(afterPosition, last);
    let position = start;
    // The start position is sent to a reader that gave none. If it is disconnected before the first event, it can
    // resume there and misses nothing.
    if (afterPosition === undefined) yield { position: BigInt(position) };
    await requireKeptFrom(models, projectClientId, position);
    const isPresented = afterPosition !== undefined;
    let told = position;
    let isCaughtUp = false;
    let page = firstPage;
    const endsAtMs = consumer === null ? Number.POSITIVE_INFINITY : checkedAtMs + lifetimeMs(options.streamMsMax);
    const held =
      consumer === null
        ? null
        : await holdPosition(
            consumerPositions,
            consumer,
            { position: start, isPresented },
            { sentTo: () => position, clock, logger: call.logger },
          );
    try {
      while (!ended.aborted) {
        const before = position;
        if (performance.now() - checkedAtMs >= checkEveryMs) {
          await checkConsumer(call, projectClientId);
          await requireKeptFrom(models, projectClientId, position);
          checkedAtMs = performance.now();
        }
        if (performance.now() >= endsAtMs) return;
        for (const logged of await eventsAfter(models, projectClientId, position, page)) {
          if (ended.aborted) return;
          position = logged.position;
          const isMatch = isWanted(logged.event.type);
          if (!isMatch && position - told < checkpointEvery) continue;
          told = position;
          yield { position: BigInt(position), ...(isMatch ? { event: toDomainEventMessage(logged.event) } : {}) };
        }
        if (position !== before) page = pageAfter(page);
        else {
          // A filtered reader learns once that it has read everything that was there.
          if (!isCaughtUp && position > told) {
            told = position;
            yield { position: BigInt(position) };
          }
          isCaughtUp = true;
          await follower.waitBeyond(projectClientId, position, checkEveryMs, ended);
        }
      }
    } finally {
      await held?.end();
    }
  };
  return async function* (request, call) {
    const problem = typePatternsProblem(request.types);
    if (problem !== null) throw invalidRequest("/types", problem);
    const consumer = await checkConsumer(call, request.projectClientId);
    const release = enter(call, consumer, request.projectClientId);
    try {
      yield* stream(request, call, consumer);
    } finally {
      release();
    }
  };
}

/**
 * Checks the position to start after. A position beyond the log's end is rejected, because its reader would miss
 * events without noticing it, for example after the platform was restored from a backup.
 */
function checkPosition(afterPosition: bigint, last: number): number {
  if (afterPosition >= 0n && afterPosition <= BigInt(last)) return Number(afterPosition);
  throw invalidRequest(
    "/after_position",
    `must be from 0 to ${last}, the end of the log; ${afterPosition} was never given to an event`,
  );
}

/**
 * Returns the duration of a stream. It varies by a tenth, so that streams that were opened together do not end
 * together.
 */
const lifetimeMs = (most: number = streamMsMax): number => most * (0.9 + 0.1 * Math.random());
