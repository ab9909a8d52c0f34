import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { CarryRequestSchema, CarryResponseSchema } from "@platform/proto/mux/v1/mux";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallContext } from "./call-context.ts";
import {
  contextOfCall,
  metadataOfCall,
  writeAnswer,
  writeCall,
  writeCancellation,
  writeClock,
} from "./multiplexed-call.ts";

const text = fc.string({ unit: "binary", minLength: 1, maxLength: 300 });
const bytes = fc.uint8Array({ maxLength: 300 }).map((value) => new Uint8Array(value));
const id = fc.integer({ min: 1, max: 0xffffffff });
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
const time = fc.double({ min: 1, max: 2 ** 50, noNaN: true });
const call = fc.record({
  id,
  path: text,
  message: bytes,
  context,
  timeoutMs: fc.integer({ min: 1, max: 0x7fffffff }),
  expiresAtMs: time,
});
const writer = new BinaryWriter();

test("writes each call's frame so that the generated code reads it unchanged", () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 20 }), id, (calls, cancelled) => {
      for (const one of calls) {
        const metadata = { authorization: "Bearer a: b", other: "c" };
        writeCall(writer, one.id, { ...one, metadata }, one.timeoutMs, one.expiresAtMs);
      }
      writeCancellation(writer, cancelled);
      const request = fromBinary(CarryRequestSchema, writer.finish());
      expect(request.calls.pop()).toMatchObject({ id: cancelled, cancelled: true, path: "" });
      expect(request.calls.map((read) => ({ ...read, context: contextOfCall(read) }))).toMatchObject(
        calls.map((one) => ({ ...one, cancelled: false })),
      );
      for (const read of request.calls) {
        expect(metadataOfCall(read, "authorization")).toBe("Bearer a: b");
        expect(metadataOfCall(read, "missing")).toBeUndefined();
      }
      // What the generated code writes of it is read the same.
      expect(fromBinary(CarryRequestSchema, toBinary(CarryRequestSchema, request))).toEqual(request);
    }),
  );
});

test("writes answers that the generated code reads unchanged, and reads its messages", () => {
  const answer = fc.record({ id, status: fc.integer({ min: 0, max: 16 }), message: bytes, errorDetail: bytes });
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 20 }), time, (answers, clockMs) => {
      for (const one of answers) writeAnswer(writer, one.id, one);
      writeClock(writer, clockMs);
      const response = fromBinary(CarryResponseSchema, writer.finish());
      expect(response).toEqual(create(CarryResponseSchema, { answers, clockMs }));
    }),
  );
});
