import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { CarryRequestSchema } from "@platform/proto/mux/v1/mux";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallContext } from "./call-context.ts";
import { carriedCall, contextOfCall, metadataOfCall } from "./carried-call.ts";

const text = fc.string({ unit: "binary", minLength: 1, maxLength: 300 });
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
const call = fc.record({
  id: fc.integer({ min: 1, max: 0xffffffff }),
  path: text,
  message: fc.uint8Array({ maxLength: 300 }).map((bytes) => new Uint8Array(bytes)),
  context,
});

test("reads each frame as it was written, whatever the call contains", () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 20 }), (calls) => {
      const request = create(CarryRequestSchema, {
        calls: calls.map((one) =>
          carriedCall(one.id, { ...one, metadata: { authorization: "Bearer a: b", other: "c" } }, 1, 0),
        ),
      });
      const read = fromBinary(CarryRequestSchema, toBinary(CarryRequestSchema, request)).calls;
      expect(read.map(({ id, path, message }) => ({ id, path, message: new Uint8Array(message) }))).toEqual(
        calls.map(({ id, path, message }) => ({ id, path, message })),
      );
      expect(read.map(contextOfCall)).toEqual(calls.map((one) => one.context));
      for (const one of read) {
        expect(metadataOfCall(one, "authorization")).toBe("Bearer a: b");
        expect(metadataOfCall(one, "missing")).toBeUndefined();
      }
    }),
  );
});
