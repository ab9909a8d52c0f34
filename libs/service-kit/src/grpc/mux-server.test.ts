import { EventEmitter } from "node:events";
import { fromBinary } from "@bufbuild/protobuf";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { type CarryRequest, CarryRequestSchema, CarryResponseSchema } from "@platform/proto/mux/v1/mux";
import { expect, test } from "vitest";
import type { MultiplexedReply } from "./multiplexed-call.ts";
import { writeCall } from "./multiplexed-call.ts";
import { createMuxServer } from "./mux-server.ts";

type Stream = Parameters<ReturnType<typeof createMuxServer>["handlers"]["carry"]>[0];

const context = { correlationId: "c", operation: "o", projectClient: null, idempotency: null };
const noBytes = new Uint8Array();

/** A stream by whose end of the wire the test sits: the ids of each message's answers. */
function streamOfTest() {
  const messages: number[][] = [];
  const stream = Object.assign(new EventEmitter(), {
    sendMetadata: () => {},
    isPaused: () => false,
    write: (bytes: Buffer) => {
      messages.push(fromBinary(CarryResponseSchema, bytes).answers.map(({ id }) => id));
      return true;
    },
  });
  return { stream: stream as unknown as Stream, messages };
}

function carry(ids: readonly number[]): CarryRequest {
  const writer = new BinaryWriter();
  for (const id of ids) {
    writeCall(writer, id, { path: "/p", message: noBytes, context, metadata: {} }, 60_000, 0);
  }
  return fromBinary(CarryRequestSchema, writer.finish());
}

/** A server whose calls are answered by the test. */
function serverOfTest(calls: number) {
  const open = new Map<number, (reply: MultiplexedReply) => void>();
  let begun = 0;
  const server = createMuxServer(({ id }) => {
    begun += 1;
    return new Promise((resolve) => open.set(id, resolve));
  });
  const { stream, messages } = streamOfTest();
  server.handlers.carry(stream);
  stream.emit("data", carry(Array.from({ length: calls }, (_, index) => index + 1)));
  const answer = (count: number): void => {
    for (const [id, reply] of [...open].slice(0, count)) {
      open.delete(id);
      reply({ status: 0, message: noBytes, errorDetail: noBytes });
    }
  };
  return { answer, begun: () => begun, messages };
}

const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("starts 16 calls per event-loop tick and sends their answers before the next ones start", async () => {
  const { answer, begun, messages } = serverOfTest(30);
  expect(begun()).toBe(16);
  answer(16);
  await endOfTurn();
  expect(messages).toEqual([Array.from({ length: 16 }, (_, index) => index + 1)]);
  expect(begun()).toBe(30);
});

test("sends 8 answers at once, batches 7 until the end of the tick, and sends the last one at once", async () => {
  const { answer, messages } = serverOfTest(16);
  const turn = endOfTurn();
  answer(8);
  await turn;
  expect(messages).toEqual([[1, 2, 3, 4, 5, 6, 7, 8]]);
  answer(7);
  await Promise.resolve();
  expect(messages).toHaveLength(1);
  await endOfTurn();
  await endOfTurn();
  expect(messages[1]).toEqual([9, 10, 11, 12, 13, 14, 15]);
  answer(1);
  await Promise.resolve();
  await Promise.resolve();
  expect(messages[2]).toEqual([16]);
});
