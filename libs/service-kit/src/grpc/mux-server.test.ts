import { EventEmitter } from "node:events";
import { create } from "@bufbuild/protobuf";
import { type CarryRequest, CarryRequestSchema, type CarryResponse } from "@platform/proto/mux/v1/mux";
import { expect, test } from "vitest";
import { carriedCall } from "./carried-call.ts";
import type { CarriedReply } from "./mux-served-call.ts";
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
    write: ({ answers }: CarryResponse) => {
      messages.push(answers.map(({ id }) => id));
      return true;
    },
  });
  return { stream: stream as unknown as Stream, messages };
}

function carry(ids: readonly number[]): CarryRequest {
  const request = create(CarryRequestSchema);
  for (const id of ids) {
    const call = carriedCall(id, "/p", noBytes, { context, metadata: {} });
    call.timeoutMs = 60_000;
    request.calls.push(call);
  }
  return request;
}

/** A server whose calls are answered by the test. */
function serverOfTest(calls: number) {
  const open = new Map<number, (reply: CarriedReply) => void>();
  const server = createMuxServer(({ id }) => new Promise((resolve) => open.set(id, resolve)));
  const { stream, messages } = streamOfTest();
  server.handlers.carry(stream);
  stream.emit("data", carry(Array.from({ length: calls }, (_, index) => index + 1)));
  const answer = (count: number): void => {
    for (const [id, reply] of [...open].slice(0, count)) {
      open.delete(id);
      reply({ status: 0, message: noBytes, errorDetail: noBytes });
    }
  };
  return { answer, messages };
}

const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("answers of one turn of the event loop leave as one message, and the last one alone waits for nothing", async () => {
  const { answer, messages } = serverOfTest(30);
  answer(29);
  await endOfTurn();
  await endOfTurn();
  expect(messages).toEqual([Array.from({ length: 29 }, (_, index) => index + 1)]);
  answer(1);
  await Promise.resolve();
  await Promise.resolve();
  expect(messages[1]).toEqual([30]);
});
