import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import { readFields } from "./field-values.ts";
import type { Field, FieldKind } from "./resource.ts";

const field = (kind: FieldKind, more: Partial<Field> = {}): Field => ({
  field: kind,
  option: kind,
  kind,
  label: kind,
  explanation: "a value",
  ...more,
});
const read = (kind: FieldKind, text: string, more: Partial<Field> = {}) =>
  readFields([field(kind, more)], () => text) as { request?: Record<string, unknown>; problem?: string };

it.each([
  ["texts", "order.*, platform.*", ["order.*", "platform.*"]],
  ["amount", "9007199254740991", 9007199254740991n],
  ["position", "0", 0n],
  ["choice", "stream", "stream"],
  ["number", "1", 1],
  ["number", "9", 9],
  ["flag", "yes", true],
  ["url", "https://example.com/", "https://example.com/"],
] as const)("converts a typed %s to the request's value", (kind, text, value) => {
  expect(read(kind, text, { choices: ["none", "stream"], range: [1, 9] }).request).toEqual({ [kind]: value });
});

it.each([
  ["texts", " , ", "takes at least one"],
  ["amount", "9007199254740992", 'takes a whole number of at least 0, not "9007199254740992"'],
  ["amount", "-1", 'takes a whole number of at least 0, not "-1"'],
  ["amount", "1.5", 'takes a whole number of at least 0, not "1.5"'],
  ["choice", "both", "takes none or stream"],
  ["number", "0", 'takes a whole number from 1 to 9, not "0"'],
  ["number", "10", 'takes a whole number from 1 to 9, not "10"'],
  ["time", "2h", "takes a time such as 2027-01-31T09:00:00Z"],
  ["since", "2y", "takes a time such as 2027-01-31T09:00:00Z, or how long ago: 2h, 7d"],
] as const)("rejects %s %s, and names the accepted values", (kind, text, problem) => {
  expect(read(kind, text, { choices: ["none", "stream"], range: [1, 9] }).problem).toBe(problem);
});

it("reads a time with an offset, and a time as a duration in the past", () => {
  const at = (kind: FieldKind, text: string) => timestampDate(read(kind, text).request?.[kind] as Timestamp);
  expect(at("time", "2031-01-31T09:00:00+09:00").toISOString()).toBe("2031-01-31T00:00:00.000Z");
  expect(at("since", "1d").getTime()).toBeLessThan(Date.now() - 86_399_000);
});

it("omits empty inputs, and names a missing required field", () => {
  expect(read("text", "")).toEqual({ request: {} });
  expect(read("text", "", { isRequired: true }).problem).toBe("is missing");
});

it("rejects a range whose end is before its start, and accepts an equal one", () => {
  const range = [field("position", { field: "from" }), field("position", { field: "to", notBefore: "from" })];
  const typed = (to: string) => readFields(range, (each) => (each.field === "from" ? "7" : to));
  expect(typed("6")).toMatchObject({ problem: "must be at least 7" });
  expect(typed("7")).toEqual({ request: { from: 7n, to: 7n } });
});
