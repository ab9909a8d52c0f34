import type { Client } from "@grpc/grpc-js";
import { createDeadlineWheel } from "./deadline-wheel.ts";
import { MuxCall, type MuxRequest } from "./mux-call.ts";
import { type MuxStream, openMuxStream } from "./mux-stream.ts";

/** Carries unary calls over few long-lived streams to one server. */
export type MuxClient = {
  /** Resolves with the response's bytes; rejects as grpc-js would (see MuxFailure). */
  call(request: MuxRequest): Promise<Buffer>;
  /** Takes no more calls; those under way are still answered. */
  close(): void;
};

type MuxClientOptions = {
  /** Opens a channel of its own; every stream gets a new one, so that what is behind the address may change. */
  readonly openChannel: () => Client;
  /** Streams in use at once. Default 2: while one is written, the other's answers are read. */
  readonly streams?: number;
  /** Milliseconds after which a stream is replaced. Default 5 minutes. */
  readonly recycleMs?: number;
};

/** How long a server that carries no calls is believed to stay so: it may be replaced by a newer one. */
const unimplementedMs = 30_000;

type Lane = { readonly stream: MuxStream; readonly channel: Client };

/** Streams are opened when they are first needed. */
export function createMuxClient({ openChannel, streams = 2, recycleMs = 300_000 }: MuxClientOptions): MuxClient {
  const lanes: (Lane | null)[] = new Array(streams).fill(null);
  const wheel = createDeadlineWheel();
  let isClosed = false;
  let aloneUntilMs = 0;
  let turn = 0;
  let isTurnOver = true;

  /** All calls of one turn of the event loop go one way, so that they leave together. */
  const laneOfTurn = (): number => {
    if (isTurnOver) {
      isTurnOver = false;
      turn = (turn + 1) % streams;
      setImmediate(() => {
        isTurnOver = true;
      });
    }
    return turn;
  };

  const retire = (index: number, lane: Lane): void => {
    if (lanes[index] === lane) lanes[index] = null;
    for (const call of lane.stream.retire()) send(call);
  };

  const open = (index: number): Lane => {
    const channel = openChannel();
    const lane: Lane = {
      channel,
      stream: openMuxStream(channel, {
        onShouldRetire: () => retire(index, lane),
        onUnimplemented: (calls) => {
          aloneUntilMs = Date.now() + unimplementedMs;
          for (const call of calls) call.callAlone();
        },
        onEnd: () => {
          if (lanes[index] === lane) lanes[index] = null;
          channel.close();
        },
      }),
    };
    lanes[index] = lane;
    return lane;
  };

  const send = (call: MuxCall): void => {
    if (isClosed || Date.now() < aloneUntilMs) {
      call.callAlone();
      return;
    }
    const index = laneOfTurn();
    let lane = lanes[index] ?? null;
    if (lane !== null && Date.now() - lane.stream.openedAtMs > recycleMs) {
      retire(index, lane);
      lane = null;
    }
    (lane ?? open(index)).stream.add(call);
  };

  return {
    call: (request) =>
      new Promise((resolve, reject) => {
        send(new MuxCall(request, wheel, resolve, reject));
      }),
    close: () => {
      isClosed = true;
      for (const [index, lane] of lanes.entries()) if (lane !== null) retire(index, lane);
    },
  };
}
