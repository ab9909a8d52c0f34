import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonObject, variableDeclarations, variables } from "./caller-json.ts";
import { validate, violationsMax } from "./violations.ts";

const places = (result: ReturnType<typeof validate>) =>
  result.ok ? [] : result.violations.map(({ path, code }) => `${path} ${code}`);

const objectOf = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name${index}`, value]));

const strangeKeys =
  '{"__proto__":{"polluted":1},"constructor":"x","$set":{"a.b":[1]},"a.b":"c","":"d","toString":null}';

describe("JSON that callers own", () => {
  it("returns the caller's own object, not a copy", () => {
    const sent: unknown = JSON.parse(strangeKeys);
    const result = validate(jsonObject, sent);
    expect(result.ok && result.value).toBe(sent);
    expect(JSON.stringify(result.ok && result.value)).toBe(strangeKeys);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("round-trips any JSON value exactly", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ stringUnit: "grapheme" })), (sent) => {
        const json = JSON.stringify(sent);
        fc.pre(!json.includes("\\u0000"));
        const result = validate(jsonObject, JSON.parse(json));
        expect(JSON.stringify(result.ok && result.value)).toBe(json);
      }),
    );
  });

  it.each([["[]"], ["null"], ['"a"'], ["5"], ["true"]])("refuses %s as an object of the caller", (json) => {
    expect(places(validate(jsonObject, JSON.parse(json)))).toEqual(["/ invalid_type"]);
  });

  it("reports every position that cannot be stored or written back", () => {
    const json = '{"a":"\\u0000","b":[1,{"c/d":"\\ud800"}],"e\\u0000":1,"__proto__":{"~":"x\\udc00"},"n":1e400}';
    expect(places(validate(jsonObject, JSON.parse(json)))).toEqual([
      "/a invalid_format",
      "/b/1/c~1d invalid_format",
      "/e\0 invalid_format",
      "/__proto__/~0 invalid_format",
    ]);
  });

  it("accepts any depth that JSON.parse reads without exhausting the stack", () => {
    const deep: unknown = JSON.parse(`{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`);
    expect(validate(jsonObject, deep).ok).toBe(true);
  });

  it("reports at most as many violations as a response may contain", () => {
    const result = validate(jsonObject, { list: Array.from({ length: 10_000 }, () => "\0") });
    expect(places(result)).toHaveLength(violationsMax);
  });
});

describe("variables of an intent", () => {
  it("accepts strings and numbers under any key", () => {
    const sent: unknown = JSON.parse('{"__proto__":"a","a.b":1,"$x":1.5,"":"","big":1e300}');
    const result = validate(variables, sent);
    expect(result.ok && result.value).toBe(sent);
  });

  it("accepts at most 50 variables", () => {
    expect(places(validate(variables, objectOf(50, "x")))).toEqual([]);
    expect(places(validate(variables, objectOf(51, "x")))).toEqual(["/ too_long"]);
  });

  it("accepts strings of at most 5000 code points", () => {
    expect(places(validate(variables, { a: "x".repeat(5000), b: "😀".repeat(5000) }))).toEqual([]);
    expect(places(validate(variables, { a: "x".repeat(5001), b: "😀".repeat(5001), c: "ok" }))).toEqual([
      "/a too_long",
      "/b too_long",
    ]);
  });

  it("reports each violation at the pointer of its variable", () => {
    const json = '{"a":true,"b/c":null,"__proto__":{},"d":[1],"e":1e400,"f":"\\u0000","g":"ok"}';
    expect(places(validate(variables, JSON.parse(json)))).toEqual([
      "/a invalid_type",
      "/b~1c invalid_type",
      "/__proto__ invalid_type",
      "/d invalid_type",
      "/e invalid_type",
      "/f invalid_format",
    ]);
  });
});

describe("variables of a catalog entry", () => {
  it("accepts the type names string, integer and number, and nothing else", () => {
    const sent: unknown = JSON.parse('{"__proto__":"string","n":"integer","x":"number"}');
    const result = validate(variableDeclarations, sent);
    expect(result.ok && result.value).toBe(sent);
    const wrong: unknown = JSON.parse('{"__proto__":"object","n":"Integer","x":1,"ok":"string"}');
    expect(places(validate(variableDeclarations, wrong))).toEqual([
      "/__proto__ invalid_value",
      "/n invalid_value",
      "/x invalid_value",
    ]);
  });

  it("accepts at most 50 variables in an entry", () => {
    expect(places(validate(variableDeclarations, objectOf(50, "string")))).toEqual([]);
    expect(places(validate(variableDeclarations, objectOf(51, "string")))).toEqual(["/ too_long"]);
  });
});
