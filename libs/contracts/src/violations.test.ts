import { describe, expect, it } from "vitest";
import { z } from "zod";
import { integer, uuid } from "./formats.ts";
import { operations } from "./operations.ts";
import { text } from "./text.ts";
import { type ViolationPrefix, validate, violationPath, violationsMax } from "./violations.ts";

const schema = z.strictObject({
  name: text({ max: 120 }),
  list: z.array(z.strictObject({ size: integer(1, 5) })).max(2),
  colour: z.enum(["red", "green"]),
  "a/b~c": z.boolean(),
});

const valid = { name: "x", list: [], colour: "red", "a/b~c": true };

function violationsOf(value: unknown, prefix: ViolationPrefix = "") {
  const result = validate(schema, value, prefix);
  if (result.ok) throw new Error("expected violations");
  return result.violations;
}

describe("validate", () => {
  it("returns a valid value", () => {
    expect(validate(schema, valid)).toEqual({ ok: true, value: valid });
  });

  it("reports every violation in one response, each with its own pointer", () => {
    const sent = { name: "", list: [{ size: 0 }, { size: 6, extra: 1 }], "a/b~c": "yes", more: 1, __proto: 2 };
    expect(violationsOf(sent)).toEqual([
      { path: "/name", code: "too_short", message: "must be at least 1 character long" },
      { path: "/list/0/size", code: "too_small", message: "must be at least 1" },
      { path: "/list/1/size", code: "too_big", message: "must be at most 5" },
      { path: "/list/1/extra", code: "unknown_property", message: "is not a property of this object" },
      { path: "/colour", code: "required", message: "is required" },
      { path: "/a~1b~0c", code: "invalid_type", message: "must be true or false" },
      { path: "/more", code: "unknown_property", message: "is not a property of this object" },
      { path: "/__proto", code: "unknown_property", message: "is not a property of this object" },
    ]);
  });

  it("reports unknown properties named __proto__ and constructor like any other property", () => {
    const sent: unknown = JSON.parse(JSON.stringify(valid).replace("{", '{"__proto__":{"x":1},"constructor":1,'));
    expect(violationsOf(sent).map(({ path, code }) => `${path} ${code}`)).toEqual([
      "/__proto__ unknown_property",
      "/constructor unknown_property",
    ]);
  });

  it.each([
    [undefined, "required"],
    [null, "invalid_type"],
    [[], "invalid_type"],
    ["{}", "invalid_type"],
    [5, "invalid_type"],
  ])("reports a body that is not an object at / (%j)", (value, code) => {
    expect(violationsOf(value)).toMatchObject([{ path: "/", code }]);
  });

  it("distinguishes a null property from a missing one", () => {
    expect(violationsOf({ ...valid, colour: null })).toEqual([
      { path: "/colour", code: "invalid_value", message: "must be one of red, green" },
    ]);
  });

  it("names the allowed number of items in the message", () => {
    expect(violationsOf({ ...valid, list: [0, 0, 0] })).toEqual([
      { path: "/list", code: "too_long", message: "must have at most 2 items" },
    ]);
  });

  it("never repeats the caller's input in a message", () => {
    const secret = "hunter2-hunter2";
    const sent = { name: secret.repeat(20), list: secret, colour: secret, "a/b~c": secret };
    expect(violationsOf(sent)).toHaveLength(4);
    expect(JSON.stringify(violationsOf(sent))).not.toContain(secret);
  });

  it("returns at most 50 violations", () => {
    const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`unknown${index}`, 1]));
    expect(violationsOf({ ...valid, ...unknown })).toHaveLength(violationsMax);
    const { body } = operations["notify.validateNotificationCatalog"];
    const result = validate(body, { entries: Array.from({ length: 500 }, () => ({})) });
    expect(result.ok ? [] : result.violations).toHaveLength(violationsMax);
  });

  it("rejects two million invalid entries because of their number", () => {
    const { body } = operations["notify.validateNotificationCatalog"];
    expect(validate(body, { entries: new Array(2_000_000).fill(0) })).toEqual({
      ok: false,
      violations: [{ path: "/entries", code: "too_long", message: "must have at most 500 items" }],
    });
  });
});

describe("where a violation is", () => {
  it("uses the name of a path parameter as the path of its violation", () => {
    const result = validate(z.object({ transactionId: uuid }), { transactionId: "nope" }, "path:");
    expect(result).toEqual({
      ok: false,
      violations: [{ path: "path:transactionId", code: "invalid_format", message: "must be a UUID" }],
    });
  });

  it("uses the name of a header as the path of its violation", () => {
    const result = validate(uuid, undefined, "header:X-Correlation-ID");
    expect(result).toEqual({
      ok: false,
      violations: [{ path: "header:X-Correlation-ID", code: "required", message: "is required" }],
    });
  });

  it.each([
    [[], "/"],
    [["a"], "/a"],
    [["a", 0, "b"], "/a/0/b"],
    [["a/b", "c~d"], "/a~1b/c~0d"],
    [["~1"], "/~01"],
    [[""], "/"],
    [["\ud800"], "/\ufffd"],
  ])("writes the pointer %j as %s", (segments, pointer) => {
    expect(violationPath("", segments)).toBe(pointer);
  });
});
