import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import {
  DomainEventSchema,
  PublishDomainEventRequestSchema,
  PublishDomainEventResponseSchema,
} from "@platform/proto/events/v1/events_service";
import { AuthenticateProjectCredentialResponseSchema } from "@platform/proto/identity/v1/identity_service";
import { CallSchema } from "@platform/proto/mux/v1/mux";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeMessage } from "./message-bytes.ts";

const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 300 }), fc.constant("é".repeat(70)));
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const time = fc.record({ seconds: int64, nanos: fc.integer() });
const maybe = { requiredKeys: [] as never[] };
const event = fc.record(
  {
    id: text,
    projectClientId: text,
    type: text,
    schemaVersion: fc.nat(),
    dataJson: text,
    sequence: int64,
    occurredAt: time,
  },
  maybe,
);

/** Compares with the library both the encoded bytes and the decoded message. */
function expectSameBytes<D extends DescMessage>(schema: D, init: MessageInitShape<D>): void {
  const bytes = new Uint8Array(encodeMessage(schema, init));
  expect(bytes).toEqual(toBinary(schema, create(schema, init)));
  expect(fromBinary(schema, bytes)).toEqual(create(schema, init));
}

test("writes the same bytes as the library for scalars, optional fields and nested messages", () => {
  fc.assert(fc.property(event, (init) => expectSameBytes(DomainEventSchema, init)));
  fc.assert(
    fc.property(fc.record({ event, replayed: fc.boolean() }, maybe), (init) =>
      expectSameBytes(PublishDomainEventResponseSchema, init),
    ),
  );
});

test("writes the same bytes as the library for bytes, lists and maps", () => {
  const call = fc.record(
    {
      id: fc.nat(),
      path: text,
      message: fc.uint8Array(),
      metadata: fc.array(text),
      cancelled: fc.boolean(),
      expiresAtMs: fc.double({ noNaN: true }),
    },
    maybe,
  );
  fc.assert(fc.property(call, (init) => expectSameBytes(CallSchema, init)));
  const quotaLimits = fc.dictionary(fc.string({ minLength: 1 }), int64, { noNullPrototype: true });
  const reply = fc.record({ scopes: fc.array(text), projectClient: fc.record({ id: text, quotaLimits }) }, maybe);
  fc.assert(fc.property(reply, (init) => expectSameBytes(AuthenticateProjectCredentialResponseSchema, init)));
});

test("keeps fields that a newer sender has added to a message", () => {
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).string("order.placed");
  const newer = writer.tag(100, WireType.LengthDelimited).string("more").finish();
  const request = fromBinary(PublishDomainEventRequestSchema, newer);
  expect(new Uint8Array(encodeMessage(PublishDomainEventRequestSchema, request))).toEqual(newer);
});

test("resets its buffer after a message that cannot be encoded", () => {
  const wrong = { type: "order.placed", schemaVersion: 1.5 };
  expect(() => encodeMessage(PublishDomainEventRequestSchema, wrong)).toThrow("1.5");
  expectSameBytes(PublishDomainEventRequestSchema, { type: "order.placed", schemaVersion: 1 });
});
