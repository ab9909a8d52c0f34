import { type Ctl, createCtl } from "@platform/platformctl/ctl";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { type Actor, failureOf, pause, repeat } from "./actor.ts";
import type { StackAddresses } from "./setting.ts";

const idleStreamsMax = 200;
const patternCount = 400_000;

/** A holder of a consumer token who opens more streams than anybody needs and reads none of them. */
export function createStreamConsumer(): Actor {
  const consumer = createConsumer();
  return {
    ...consumer,
    name: "unread streams",
    attack: async (signal, count) => {
      const holdOne = async (): Promise<void> => {
        while (!signal.aborted) {
          try {
            // It reads one message and then leaves the stream open without reading on.
            for await (const _ of consumer.readEvents([], signal)) await pause(30_000, signal);
            count("unread stream", "ended");
          } catch (error) {
            if (!signal.aborted) count("unread stream", failureOf(error));
          }
          await pause(250, signal);
        }
      };
      await Promise.all(Array.from({ length: idleStreamsMax }, holdOne));
    },
  };
}

/**
 * A holder of a consumer token who requests more patterns than anybody needs. It has a process of its own, because
 * encoding them takes so long that its other connections would miss their keepalive.
 */
export function createPatternConsumer(): Actor {
  const consumer = createConsumer();
  const patterns = Array.from({ length: patternCount }, (_, index) => `a${index}.*`);
  return {
    ...consumer,
    name: "many patterns",
    attack: (signal, count) =>
      repeat(signal, { loops: 2, pauseMs: 200 }, `${patternCount} patterns`, count, async (signal) => {
        for await (const _ of consumer.readEvents(patterns, signal)) return "answered";
        return "ended";
      }),
  };
}

function createConsumer() {
  let ctl: Ctl | undefined;
  let clientId = "";
  return {
    prepare: async (setting: StackAddresses): Promise<void> => {
      const env = { CONSUMER_TOKEN: setting.consumerToken, EVENTS_GRPC: setting.eventsGrpc, STACK_DIR: "/nonexistent" };
      ctl = await createCtl(env, () => ({ json: true }));
      clientId = setting.clientId;
    },
    readEvents: (types: readonly string[], signal: AbortSignal) => {
      if (ctl === undefined) throw new Error("prepare() comes first");
      const { context } = ctl.call();
      const service = ctl.consumerConnection().service(DomainEventConsumerService);
      return service.readEvents(
        { projectClientId: clientId, afterPosition: 0n, types: [...types] },
        { context, signal },
      );
    },
    close: async (): Promise<void> => ctl?.close(),
  };
}
