import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { CarryRequestSchema, CarryResponseSchema } from "@platform/proto/mux/v1/mux";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallContext } from "./call-context.ts";
import {
  type CarriedAnswer,
  type CarriedCall,
  drainingResponse,
  readAnswers,
  readCalls,
  writeAnswer,
  writeCall,
  writeCancellation,
} from "./mux-frame.ts";
import { WireWriter } from "./mux-wire.ts";

const unexpected = (): never => expect.unreachable();
const bytes = fc.uint8Array({ maxLength: 300 }).map((value) => Buffer.from(value));
const id = fc.integer({ min: 1, max: 0xffffffff });
const text = fc.string({ unit: "binary", maxLength: 300 });
const context: fc.Arbitrary<CallContext> = fc.record(
  {
    correlationId: text,
    operation: text,
    projectClient: fc.option(fc.record({ id: text, environment: text })),
    idempotency: fc.option(fc.record({ key: text, fingerprint: text })),
    traceparent: text,
  },
  { requiredKeys: ["correlationId", "operation", "projectClient", "idempotency"] },
);
const call = fc.record({ id, path: text, timeoutMs: fc.nat(), message: bytes, context });

test("the generated code reads what is written here, and nothing of it is lost on the way back", () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 20 }), (calls) => {
      const writer = new WireWriter(16);
      for (const one of calls) writeCall(writer, { ...one, metadata: ["authorization: Bearer a: b"] });
      const written = writer.finish();
      const generated = fromBinary(CarryRequestSchema, written);
      expect(generated.calls.map(({ id, path, timeoutMs }) => ({ id, path, timeoutMs }))).toEqual(
        calls.map(({ id, path, timeoutMs }) => ({ id, path, timeoutMs })),
      );
      const read: CarriedCall[] = [];
      readCalls(Buffer.from(toBinary(CarryRequestSchema, generated)), (one) => read.push(one), unexpected);
      const direct: CarriedCall[] = [];
      readCalls(written, (one) => direct.push(one), unexpected);
      for (const [index, one] of direct.entries()) {
        expect(one).toEqual({ ...calls[index], metadata: new Map([["authorization", "Bearer a: b"]]) });
      }
      // The generated code leaves out empty texts, so only what has none can be compared field by field.
      expect(read.map(({ id, message }) => [id, message])).toEqual(calls.map(({ id, message }) => [id, message]));
    }),
  );
});

test("answers are read as the generated code writes them, and the other way round", () => {
  const answer = fc.record({ id, status: fc.integer({ min: 0, max: 16 }), message: bytes, errorDetail: bytes });
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 20 }), fc.boolean(), (answers, draining) => {
      const read: CarriedAnswer[] = [];
      const generated = toBinary(CarryResponseSchema, create(CarryResponseSchema, { answers, draining }));
      expect(readAnswers(Buffer.from(generated), (one) => read.push(one))).toBe(draining);
      expect(read).toEqual(answers);
      const writer = new WireWriter(16);
      for (const one of answers) writeAnswer(writer, one);
      const back = fromBinary(CarryResponseSchema, writer.finish());
      expect(back.answers.map(({ id, status }) => [id, status])).toEqual(answers.map(({ id, status }) => [id, status]));
    }),
  );
});

test("a cancellation and the news of stopping are told from calls and answers", () => {
  const writer = new WireWriter(16);
  writeCancellation(writer, 70_000);
  const cancelled: number[] = [];
  readCalls(writer.finish(), unexpected, (id) => cancelled.push(id));
  expect(cancelled).toEqual([70_000]);
  expect(readAnswers(drainingResponse(), unexpected)).toBe(true);
});

test("bytes that are no frame throw, and never read beyond their end", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (noise) => {
      try {
        readCalls(
          Buffer.from(noise),
          () => {},
          () => {},
        );
      } catch (error) {
        expect((error as Error).message).toBe("malformed frame");
      }
    }),
  );
});
