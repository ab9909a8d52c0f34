import { type Ctl, createCtl } from "@platform/platformctl/ctl";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { type Actor, failureOf, pause, repeat } from "./actor.ts";
import type { StackAddresses } from "./setting.ts";

const idleStreamsMax = 200;
const patternCount = 400_000;

/**
 * A holder of a consumer token. It requests more patterns and more streams than anybody needs, and reads none of them.
 */
export function createConsumer(): Actor {
  let ctl: Ctl | undefined;
  let clientId = "";
  const readEvents = (types: readonly string[], signal: AbortSignal) => {
    if (ctl === undefined) throw new Error("prepare() comes first");
    const { context } = ctl.call();
    const service = ctl.consumerConnection().service(DomainEventConsumerService);
    return service.readEvents({ projectClientId: clientId, afterPosition: 0n, types: [...types] }, { context, signal });
  };
  return {
    name: "consumer token",
    prepare: async (setting: StackAddresses) => {
      const env = { CONSUMER_TOKEN: setting.consumerToken, EVENTS_GRPC: setting.eventsGrpc, STACK_DIR: "/nonexistent" };
      ctl = await createCtl(env, () => ({ json: true }));
      clientId = setting.clientId;
    },
    attack: async (signal, count) => {
      const patterns = Array.from({ length: patternCount }, (_, index) => `a${index}.*`);
      const holdOne = async (): Promise<void> => {
        while (!signal.aborted) {
          try {
            // It reads one message and then leaves the stream open without reading on.
            for await (const _ of readEvents([], signal)) await pause(30_000, signal);
            count("unread stream", "ended");
          } catch (error) {
            if (!signal.aborted) count("unread stream", failureOf(error));
          }
          await pause(250, signal);
        }
      };
      await Promise.all([
        repeat(signal, { loops: 2, pauseMs: 200 }, `${patternCount} patterns`, count, async (signal) => {
          for await (const _ of readEvents(patterns, signal)) return "answered";
          return "ended";
        }),
        ...Array.from({ length: idleStreamsMax }, holdOne),
      ]);
    },
    close: async () => ctl?.close(),
  };
}
