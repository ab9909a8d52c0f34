import { isServiceError } from "@platform/service-kit/errors/service-error";
import { describe, expect, test } from "vitest";
import { isNestedDeeperThan, jsonDepthMax, parseJson } from "./parse-json.ts";

const nested = (depth: number): Buffer => Buffer.from("[".repeat(depth) + "]".repeat(depth));
const codeOf = (bytes: Buffer, contentType: string | undefined): string => {
  try {
    parseJson(bytes, contentType);
    return "ok";
  } catch (error) {
    return isServiceError(error) ? error.code : "not a ServiceError";
  }
};

describe("a JSON body", () => {
  test("may be nested 64 deep, and not 65", () => {
    expect(codeOf(nested(jsonDepthMax), "application/json")).toBe("ok");
    expect(codeOf(nested(jsonDepthMax + 1), "application/json")).toBe("contract_violation");
  });

  test("brackets inside strings are no nesting, whatever is escaped in them", () => {
    const text = JSON.stringify({ a: `${"[".repeat(100)}"\\${"{".repeat(100)}` });
    expect(isNestedDeeperThan(Buffer.from(text), 2)).toBe(false);
  });

  test("a bomb of a megabyte of brackets is refused without parsing it", () => {
    expect(codeOf(Buffer.alloc(1024 * 1024, "["), "application/json")).toBe("contract_violation");
  });

  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "application/problem+json",
    "Application/JSON",
  ])("is taken as %s", (contentType) => {
    expect(codeOf(Buffer.from("{}"), contentType)).toBe("ok");
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonx",
    "application/json; charset=utf-16",
    undefined,
  ])("is refused as %s", (contentType) => {
    expect(codeOf(Buffer.from("{}"), contentType)).toBe("unsupported_media_type");
  });

  test("text that is not UTF-8 is refused, not replaced", () => {
    expect(codeOf(Buffer.from([0x22, 0xff, 0x22]), "application/json")).toBe("contract_violation");
  });

  test("__proto__ is a property like any other", () => {
    const value = parseJson(Buffer.from('{"__proto__":{"polluted":true}}'), "application/json") as Record<
      string,
      unknown
    >;
    expect(Object.hasOwn(value, "__proto__")).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
