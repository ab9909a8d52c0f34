import { runGrpcLoad } from "./grpc-load.ts";
import { runHttpLoad } from "./http-load.ts";
import { runImpressionLoad } from "./impression-load.ts";
import { runMongoLoad } from "./mongo-load.ts";
import { runRawWritesLoad } from "./raw-writes-load.ts";
import { runReadEventsLoad } from "./read-events-load.ts";
import { runRedisCommandsLoad } from "./redis-commands-load.ts";
import { runRedisLoad } from "./redis-load.ts";
import type { LoadSample } from "./sample.ts";
import { runFlushLoad, runHashLoad, runTransferLoad } from "./transfer-load.ts";

/** Loads by kind; each runs in a process of its own, so that the generator shares no event loop with what it measures. */
const loads = {
  http: runHttpLoad,
  grpc: runGrpcLoad,
  mongo: runMongoLoad,
  rawWrites: runRawWritesLoad,
  redis: runRedisLoad,
  redisCommands: runRedisCommandsLoad,
  readEvents: runReadEventsLoad,
  impressions: runImpressionLoad,
  transfer: runTransferLoad,
  hash: runHashLoad,
  flush: runFlushLoad,
};

export type LoadKind = keyof typeof loads;
export type LoadOf<K extends LoadKind> = Parameters<(typeof loads)[K]>[0];
export type LoadRequest = { readonly kind: LoadKind; readonly load: never };
export type LoadReply = { readonly sample: LoadSample } | { readonly failure: string };

process.on("message", ({ kind, load }: LoadRequest) => {
  loads[kind](load).then(
    (sample) => process.send?.({ sample } satisfies LoadReply),
    (error: unknown) => process.send?.({ failure: (error as Error).stack ?? String(error) } satisfies LoadReply),
  );
});
process.on("disconnect", () => process.exit(0));
