import { fromBinary } from "@bufbuild/protobuf";
import { CarryRequestSchema } from "@platform/proto/mux/v1/mux";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallContext } from "./call-context.ts";
import { callFrame, cancellationFrame, contextOfFrame, metadataOfFrame } from "./call-frame.ts";
import { encodeMessage } from "./message-bytes.ts";

const text = fc.string({ unit: "binary", minLength: 1, maxLength: 300 });
const bytes = fc.uint8Array({ maxLength: 300 }).map((value) => Buffer.from(value));
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

test("transmits the path, message, context, metadata and deadline of each call in its frame", () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 20 }), id, (calls, cancelled) => {
      const metadata = { authorization: "Bearer a: b", other: "c" };
      const sent = calls.map((one) => callFrame(one.id, { ...one, metadata }, one.timeoutMs, one.expiresAtMs));
      const bytes = encodeMessage(CarryRequestSchema, { calls: [...sent, cancellationFrame(cancelled)] });
      const request = fromBinary(CarryRequestSchema, bytes);
      expect(request.calls.pop()).toMatchObject({ id: cancelled, cancelled: true, path: "" });
      const received = request.calls.map((frame) => ({
        ...frame,
        message: Buffer.from(frame.message),
        context: contextOfFrame(frame),
      }));
      expect(received).toMatchObject(calls.map((one) => ({ ...one, cancelled: false })));
      for (const frame of request.calls) {
        expect(metadataOfFrame(frame, "authorization")).toBe("Bearer a: b");
        expect(metadataOfFrame(frame, "missing")).toBeUndefined();
      }
    }),
  );
});
