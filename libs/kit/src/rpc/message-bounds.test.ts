import { create, createFileRegistry, type DescMessage, setExtension, toBinary } from "@bufbuild/protobuf";
import {
  FieldOptionsSchema,
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { bound, FieldBoundSchema } from "@platform/proto/bounds/v1/field_bound";
import { expect, it } from "vitest";
import { neededBounds, requestReader } from "./message-bounds.ts";

type Bound = { maxItems?: number; maxLength?: number; maxBytes?: number; maxKeyLength?: number };
type Field = { name: string; type?: Type; typeName?: string; isList?: boolean; inOneof?: boolean; bound?: Bound };

const field = (
  { name, type = Type.STRING, typeName = "", isList = false, inOneof = false, ...rest }: Field,
  index: number,
) => {
  const options = create(FieldOptionsSchema);
  if (rest.bound !== undefined) setExtension(options, bound, create(FieldBoundSchema, rest.bound));
  return {
    name,
    number: index + 1,
    type,
    typeName,
    label: isList ? Label.REPEATED : Label.OPTIONAL,
    options,
    ...(inOneof ? { oneofIndex: 0 } : {}),
  };
};

/** Creates a message type `Probe` with these fields. `Entry` is the entry type of a map from strings to strings. */
function schemaOf(fields: readonly Field[]): DescMessage {
  const entry = [{ name: "key" }, { name: "value" }];
  const file = create(FileDescriptorProtoSchema, {
    name: "probe.proto",
    syntax: "proto3",
    messageType: [
      {
        name: "Probe",
        field: fields.map(field),
        oneofDecl: fields.some(({ inOneof }) => inOneof === true) ? [{ name: "choice" }] : [],
        nestedType: [{ name: "TextsEntry", field: entry.map(field), options: { mapEntry: true } }],
      },
    ],
  });
  const schema = createFileRegistry(file, () => undefined).getMessage("Probe");
  if (schema === undefined) throw new Error("the file has a message Probe");
  return schema;
}

const text: Field = { name: "a_text", bound: { maxLength: 3 } };
const within: Field = { name: "inner", type: Type.MESSAGE, typeName: ".Probe" };
const all = schemaOf([
  text,
  { name: "a_number", type: Type.INT32 },
  { name: "some_bytes", type: Type.BYTES, bound: { maxBytes: 3 } },
  { name: "list", isList: true, bound: { maxItems: 2, maxLength: 3 } },
  { name: "numbers", type: Type.INT32, isList: true, bound: { maxItems: 2 } },
  {
    name: "texts",
    type: Type.MESSAGE,
    typeName: ".Probe.TextsEntry",
    isList: true,
    bound: { maxItems: 2, maxLength: 3, maxKeyLength: 2 },
  },
  within,
  { ...within, name: "several", isList: true, bound: { maxItems: 2 } },
  { name: "one", inOneof: true, bound: { maxLength: 3 } },
  { name: "other", inOneof: true, bound: { maxLength: 5 } },
]);

/** Returns path, code and message of the violation; null if the request is accepted. */
function refusalOf(schema: DescMessage, message: Record<string, unknown>): unknown {
  return refusalOfBytes(schema, toBinary(schema, create(schema, message)));
}

function refusalOfBytes(schema: DescMessage, encoded: Uint8Array): unknown {
  try {
    requestReader(schema)(encoded);
    return null;
  } catch (error) {
    const { code, details } = error as { code: string; details: { violations: { path: string; message: string }[] } };
    const [violation] = details.violations;
    return [code, violation?.path, violation?.message];
  }
}

const bytes = (length: number): Uint8Array => new Uint8Array(length);

it.each([
  ["a text", { aText: "abc" }, { aText: "abcd" }, "/a_text", "must have at most 3 characters, not 4"],
  ["a text beyond the basic plane", { aText: "😀😀😀" }, { aText: "😀😀😀a" }, "/a_text", "must have at most 3 characters, not 4"],
  ["bytes", { someBytes: bytes(3) }, { someBytes: bytes(4) }, "/some_bytes", "must have at most 3 bytes, not 4"],
  ["a list", { list: ["a", "b"] }, { list: ["a", "b", "c"] }, "/list", "must have at most 2 items, not 3"],
  ["an item of a list", { list: ["a", "abc"] }, { list: ["a", "abcd"] }, "/list/1", "must have at most 3 characters, not 4"],
  ["a list of numbers", { numbers: [1, 2] }, { numbers: [1, 2, 3] }, "/numbers", "must have at most 2 items, not 3"],
  ["a map", { texts: { a: "", b: "" } }, { texts: { a: "", b: "", c: "" } }, "/texts", "must have at most 2 items, not 3"],
  ["a key of a map", { texts: { ab: "" } }, { texts: { abc: "" } }, "/texts", "must have keys of at most 2 characters, not 3"],
  ["a value of a map", { texts: { "/~": "abc" } }, { texts: { "/~": "abcd" } }, "/texts/~1~0", "must have at most 3 characters, not 4"],
  ["a message within itself", { inner: { inner: { aText: "abc" } } }, { inner: { inner: { aText: "abcd" } } }, "/inner/inner/a_text", "must have at most 3 characters, not 4"],
  ["a list of messages", { several: [{}, {}] }, { several: [{}, {}, {}] }, "/several", "must have at most 2 items, not 3"],
  ["a message of a list", { several: [{}, { aText: "abc" }] }, { several: [{}, { aText: "abcd" }] }, "/several/1/a_text", "must have at most 3 characters, not 4"],
  ["the chosen text of a oneof", { choice: { case: "other", value: "abcde" } }, { choice: { case: "other", value: "abcdef" } }, "/other", "must have at most 5 characters, not 6"],
])("accepts %s at its bound and rejects one past it with path, bound and size", (_, at, past, path, message) => {
  expect([refusalOf(all, at), refusalOf(all, past)]).toEqual([null, ["contract_violation", path, message]]);
}); // biome-ignore format: a table

const many = (count: number): string[] => Array.from({ length: count }, () => "abc");
const large = schemaOf([
  { name: "list", isList: true, bound: { maxItems: 20_000, maxLength: 3 } },
  { name: "numbers", type: Type.INT32, isList: true, bound: { maxItems: 20_000 } },
  { ...within, name: "several", isList: true, bound: { maxItems: 2 } },
  { name: "some_bytes", type: Type.BYTES, bound: { maxBytes: 200_000 } },
]);

it.each([
  ["a list", { list: many(20_000) }, { list: many(20_001) }, "/list"],
  ["a list in a message of a list", { several: [{}, { list: many(20_000) }] }, { several: [{}, { list: many(20_001) }] }, "/several/1/list"],
  ["packed numbers", { numbers: many(20_000).map(() => 1), someBytes: bytes(100_000) }, { numbers: many(200_001).map(() => 1) }, "/numbers"],
])("rejects a large request with too many items of %s without decoding it, and accepts one at the bound", (_, at, past, path) => {
  const encoded = toBinary(large, create(large, past));
  // The last byte is invalid, so decoding the request would fail.
  const broken = Buffer.concat([encoded, Buffer.of(0xff)]);
  expect(refusalOf(large, at)).toBeNull();
  expect(refusalOfBytes(large, broken)).toEqual(["contract_violation", path, "must have at most 20000 items"]);
}); // biome-ignore format: a table

it("refuses to serve an RPC if a field of its request lacks a bound", () => {
  expect(() => requestReader(schemaOf([{ name: "a_text" }]))).toThrow("field Probe.a_text has no max_length");
  expect(() => requestReader(schemaOf([{ name: "list", isList: true, bound: { maxLength: 3 } }]))).toThrow(
    "field Probe.list has no max_items",
  );
  expect(() => requestReader(schemaOf([{ ...within, isList: true }]))).toThrow("field Probe.inner has no max_items");
});

it("requires a bound for every field of variable size, but not for a number or a message", () => {
  expect(Object.fromEntries(all.fields.map((each) => [each.name, neededBounds(each)]))).toEqual({
    a_text: ["max_length"],
    a_number: [],
    some_bytes: ["max_bytes"],
    list: ["max_items", "max_length"],
    numbers: ["max_items"],
    texts: ["max_items", "max_key_length", "max_length"],
    inner: [],
    several: ["max_items"],
    one: ["max_length"],
    other: ["max_length"],
  });
});
