import { create, type DescMessage, fromBinary, type MessageShape, ScalarType, toBinary } from "@bufbuild/protobuf";
import * as ads from "@platform/proto/ads/v1/ads_service";
import * as events from "@platform/proto/events/v1/events_service";
import * as files from "@platform/proto/files/v1/files_service";
import * as identity from "@platform/proto/identity/v1/identity_service";
import * as notify from "@platform/proto/notify/v1/notify_service";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeMessage, encodeMessage } from "./message-codec.ts";
import { knownFields } from "./message-fields.ts";

const messages = [ads, events, files, identity, notify]
  .flatMap((module) => Object.values(module) as unknown[])
  .filter((value): value is DescMessage => (value as { kind?: unknown }).kind === "message");
const known = messages.filter((message) => knownFields(message) !== null);

const text = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.string({ maxLength: 40 }));
const scalars: Partial<Record<ScalarType, fc.Arbitrary<unknown>>> = {
  [ScalarType.STRING]: text,
  [ScalarType.BYTES]: fc.uint8Array({ maxLength: 200 }),
  [ScalarType.BOOL]: fc.boolean(),
  [ScalarType.UINT32]: fc.oneof(fc.integer({ min: 0, max: 0xffffffff }), fc.nat({ max: 300 })),
  [ScalarType.INT32]: fc.oneof(fc.integer(), fc.integer({ min: -2, max: 300 })),
  [ScalarType.INT64]: fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -2n, max: 2n ** 54n }),
  ),
};

/** Any init of a message: fields absent, empty or set. */
function initOf(message: DescMessage): fc.Arbitrary<Record<string, unknown>> {
  const fields = message.fields.map((field) => {
    const one = field.message === undefined ? scalars[field.scalar as ScalarType] : initOf(field.message);
    if (one === undefined) throw new Error(`no arbitrary for ${field}`);
    return [field.localName, field.fieldKind === "list" ? fc.array(one, { maxLength: 3 }) : one] as const;
  });
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
}

const messageWithInit = fc
  .constantFrom(...known)
  .chain((schema) => initOf(schema).map((init) => ({ schema, init, message: create(schema, init as never) })));

/** Bytes of a message in a form to compare by: the library's. */
const plain = (schema: DescMessage, message: MessageShape<DescMessage>) =>
  Buffer.from(toBinary(schema, message)).toString("hex");

test("nearly every message of our services is written and read here, not by the library", () => {
  expect(messages.length).toBeGreaterThan(50);
  expect(known.length / messages.length).toBeGreaterThan(0.9);
});

test("what is written here the library reads as the same message", () => {
  fc.assert(
    fc.property(messageWithInit, ({ schema, init, message }) => {
      const read = fromBinary(schema, encodeMessage(schema, init as never));
      expect(plain(schema, read)).toBe(plain(schema, message));
    }),
    { numRuns: 2_000 },
  );
});

test("what the library writes is read here as the library reads it", () => {
  fc.assert(
    fc.property(messageWithInit, ({ schema, message }) => {
      const bytes = Buffer.from(toBinary(schema, message));
      const read = decodeMessage(schema, bytes);
      expect(plain(schema, read)).toBe(plain(schema, message));
      expect(Object.keys(read).sort()).toEqual(Object.keys(fromBinary(schema, bytes)).sort());
    }),
    { numRuns: 2_000 },
  );
});

test("a message that comes in parts is one message, and unknown fields are passed over", () => {
  fc.assert(
    fc.property(messageWithInit, fc.nat(), ({ schema, message }, seed) => {
      const once = Buffer.from(toBinary(schema, message));
      // Field 536870911 (the highest there is) as text, as a varint and as eight bytes.
      const unknown = Buffer.from(
        ["faffffff0f02", seed % 2 === 0 ? "6162" : "c3a4", "f8ffffff0f01", "f9ffffff0f0102030405060708"].join(""),
        "hex",
      );
      const twice = Buffer.concat([once, unknown, once]);
      const read = decodeMessage(schema, twice);
      const expected = fromBinary(schema, twice, { readUnknownFields: false });
      expect(plain(schema, read)).toBe(plain(schema, expected));
    }),
    { numRuns: 1_000 },
  );
});

test("bytes that are no message throw, and never read beyond their end", () => {
  fc.assert(
    fc.property(fc.constantFrom(...known), fc.uint8Array({ maxLength: 64 }), (schema, noise) => {
      try {
        decodeMessage(schema, Buffer.from(noise));
      } catch (error) {
        expect((error as Error).message).toMatch(/^malformed/);
      }
    }),
    { numRuns: 5_000 },
  );
});

test("a text that is no UTF-8 is refused, one with replacement characters of its own is not", () => {
  const schema = events.PublishDomainEventRequestSchema;
  const ofBytes = (hex: string) => decodeMessage(schema, Buffer.from(`0a02${hex}`, "hex"));
  expect(() => ofBytes("c328")).toThrow("malformed");
  expect(decodeMessage(schema, encodeMessage(schema, { type: "a\ufffd" })).type).toBe("a\ufffd");
});

test("a value that is not of its field's type throws, and the next message is whole", () => {
  const schema = events.PublishDomainEventRequestSchema;
  const wrong = (init: object) => () => encodeMessage(schema, init as never);
  expect(wrong({ type: 1 })).toThrow(TypeError);
  expect(wrong({ type: "a", schemaVersion: 1.5 })).toThrow(TypeError);
  expect(wrong({ type: "a", schemaVersion: -1 })).toThrow(TypeError);
  expect(wrong({ type: "a", schemaVersion: Number.NaN })).toThrow(TypeError);
  const { type, dataJson } = fromBinary(schema, encodeMessage(schema, { type: "b", dataJson: "{}" }));
  expect([type, dataJson]).toEqual(["b", "{}"]);
});

test("a message of several megabytes is written and read whole", () => {
  const schema = events.PublishDomainEventRequestSchema;
  for (const unit of ["a", "ä", "\u{1f600}"]) {
    const dataJson = unit.repeat(4_000_000 / Buffer.byteLength(unit));
    expect(decodeMessage(schema, encodeMessage(schema, { dataJson })).dataJson).toBe(dataJson);
    expect(fromBinary(schema, encodeMessage(schema, { dataJson })).dataJson).toBe(dataJson);
  }
});
