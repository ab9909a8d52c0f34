import { EventEmitter } from "node:events";
import type { ServerDuplexStream } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { readAnswers, writeCall } from "./mux-frame.ts";
import type { CarriedReply } from "./mux-served-call.ts";
import { createMuxServer } from "./mux-server.ts";
import { WireWriter } from "./mux-wire.ts";

const context = { correlationId: "c", operation: "o", projectClient: null, idempotency: null };
const noBytes = Buffer.alloc(0);

/** A stream by whose end of the wire the test sits. */
function streamOfTest() {
  const messages: number[][] = [];
  const stream = Object.assign(new EventEmitter(), {
    sendMetadata: () => {},
    isPaused: () => false,
    write: (bytes: Buffer) => {
      const ids: number[] = [];
      readAnswers(bytes, ({ id }) => ids.push(id));
      messages.push(ids);
      return true;
    },
  });
  return { stream: stream as unknown as ServerDuplexStream<Buffer, Buffer>, messages };
}

function carry(ids: readonly number[]): Buffer {
  const writer = new WireWriter(1_024);
  for (const id of ids)
    writeCall(writer, { id, path: "/p", timeoutMs: 60_000, message: noBytes, context, metadata: [] });
  return writer.finish();
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

test.each([8, 20])("%i answers made together leave as one message before the turn has ended", async (count) => {
  const { answer, messages } = serverOfTest(30);
  const turn = endOfTurn();
  answer(count);
  await turn;
  expect(messages).toEqual([Array.from({ length: count }, (_, index) => index + 1)]);
});

test("7 answers wait for the end of the turn, in which others may join them, and the last one alone for nothing", async () => {
  const { answer, messages } = serverOfTest(8);
  const turn = endOfTurn();
  answer(7);
  await turn;
  expect(messages).toEqual([]);
  await endOfTurn();
  expect(messages).toEqual([[1, 2, 3, 4, 5, 6, 7]]);
  answer(1);
  await Promise.resolve();
  expect(messages).toEqual([[1, 2, 3, 4, 5, 6, 7], [8]]);
});
