import { EventEmitter } from "node:events";
import { create, fromBinary } from "@bufbuild/protobuf";
import { type CarryRequest, CarryRequestSchema, CarryResponseSchema } from "@platform/proto/mux/v1/mux";
import { expect, test } from "vitest";
import { silentLogger } from "../process/logger.ts";
import { callFrame, type Reply } from "./call-frame.ts";
import { createMuxServer } from "./mux-server.ts";

type Stream = Parameters<ReturnType<typeof createMuxServer>["handlers"]["carry"]>[0];

const context = { correlationId: "c", operation: "o", projectClient: null, idempotency: null };
const noBytes = new Uint8Array();

/** Creates a stream whose client is the test. Returns the ids of the responses in each message. */
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
  const frame = { path: "/p", message: Buffer.alloc(0), context, metadata: {} };
  return create(CarryRequestSchema, { calls: ids.map((id) => callFrame(id, frame, 60_000, 0)) });
}

/** Creates a server whose calls the test completes. */
function serverOfTest(calls: number) {
  const open: ((reply: Reply) => void)[] = [];
  let begun = 0;
  const serve = (): Promise<Reply> => {
    begun += 1;
    return new Promise((resolve) => open.push(resolve));
  };
  const server = createMuxServer({ logger: silentLogger(), isTls: false, serve });
  const { stream, messages } = streamOfTest();
  server.handlers.carry(stream);
  stream.emit("data", carry(Array.from({ length: calls }, (_, index) => index + 1)));
  const answer = (count: number): void => {
    for (const reply of open.splice(0, count)) reply({ status: 0, message: noBytes, errorDetail: noBytes });
  };
  return { answer, begun: () => begun, messages };
}

const endOfTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const ids = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test("starts 32 calls per event-loop tick, and sends their responses before it starts more", async () => {
  const { answer, begun, messages } = serverOfTest(60);
  expect(begun()).toBe(32);
  answer(32);
  await endOfTick();
  expect(messages).toEqual([ids(1, 32)]);
  expect(begun()).toBe(60);
});

test("sends 16 responses immediately, holds 15 until the end of the tick, and sends the last response immediately", async () => {
  const { answer, messages } = serverOfTest(32);
  const tick = endOfTick();
  answer(16);
  await tick;
  expect(messages).toEqual([ids(1, 16)]);
  answer(15);
  await Promise.resolve();
  expect(messages).toHaveLength(1);
  await endOfTick();
  await endOfTick();
  expect(messages[1]).toEqual(ids(17, 31));
  answer(1);
  await Promise.resolve();
  await Promise.resolve();
  expect(messages[2]).toEqual([32]);
});
