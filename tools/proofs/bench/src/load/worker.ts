import { runFillLoad } from "./fill-load.ts";
import { runGrpcLoad } from "./grpc-load.ts";
import { runHttpLoad } from "./http-load.ts";
import { runJetstreamLoad } from "./jetstream-load.ts";
import { runMeteringLoad } from "./metering-load.ts";
import { runRawWritesLoad } from "./raw-writes-load.ts";
import { runTransferLoad } from "./transfer-load.ts";

/**
 * Loads by kind. Each load runs in its own process, so that the generator does not share an event loop with the
 * measured program.
 */
const loads = {
  fill: runFillLoad,
  http: runHttpLoad,
  grpc: runGrpcLoad,
  jetstream: runJetstreamLoad,
  metering: runMeteringLoad,
  rawWrites: runRawWritesLoad,
  transfer: runTransferLoad,
};

export type LoadKind = keyof typeof loads;
export type LoadOf<K extends LoadKind> = Parameters<(typeof loads)[K]>[0];
export type SampleOf<K extends LoadKind> = Awaited<ReturnType<(typeof loads)[K]>>;
export type LoadReply = { readonly sample: unknown } | { readonly failure: string };

process.on("message", ({ kind, load }: { kind: LoadKind; load: never }) => {
  loads[kind](load).then(
    (sample) => process.send?.({ sample } satisfies LoadReply),
    (error: unknown) => process.send?.({ failure: (error as Error).stack ?? String(error) } satisfies LoadReply),
  );
});
process.on("disconnect", () => process.exit(0));
