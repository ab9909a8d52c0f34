import { isServiceError } from "@platform/kit/rpc/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonDepthMax, jsonValuesMax, parseJson, scanJson } from "./parse-json.ts";

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
  test("accepts 64 levels of nesting, and rejects 65", () => {
    expect(codeOf(nested(jsonDepthMax), "application/json")).toBe("ok");
    expect(codeOf(nested(jsonDepthMax + 1), "application/json")).toBe("contract_violation");
  });

  test("does not count brackets inside strings as nesting", () => {
    const text = JSON.stringify({ a: `${"[".repeat(100)}"\\${"{".repeat(100)}` });
    expect(scanJson(Buffer.from(text)).depth).toBe(1);
  });

  test("refuses a megabyte of brackets without parsing it (JSON bomb)", () => {
    expect(codeOf(Buffer.alloc(1024 * 1024, "["), "application/json")).toBe("contract_violation");
  });

  const flat = (values: number): Buffer => Buffer.from(`[${Array(values).fill(0).join(" , ")}]`);

  test("accepts 50,000 values, and rejects 50,001", () => {
    expect(codeOf(flat(jsonValuesMax), "application/json")).toBe("ok");
    expect(codeOf(flat(jsonValuesMax + 1), "application/json")).toBe("contract_violation");
  });

  test("counts array elements and object members at every depth, and nothing else", () => {
    const body = '{ "a" : [ [ ] , { } , "x,[y\\",z" , -1.5e3 , null ] , "b" : { "c" : true } }';
    expect(scanJson(Buffer.from(body)).values).toBe(8);
    expect(scanJson(Buffer.from("7")).values).toBe(0);
  });

  test("refuses 7,000 times 60 nested arrays without parsing them (a small body that takes much CPU time)", () => {
    const bomb = Buffer.from(
      `[${Array(7_000)
        .fill(`${"[".repeat(60)}${"]".repeat(60)}`)
        .join()}]`,
    );
    expect(bomb.byteLength).toBeLessThan(1024 * 1024);
    // Only the fastest of ten runs counts, because other processes may use the processor in the meantime.
    const tookMs = Array.from({ length: 10 }, () => {
      const startedAt = performance.now();
      expect(codeOf(bomb, "application/json")).toBe("contract_violation");
      return performance.now() - startedAt;
    });
    expect(Math.min(...tookMs)).toBeLessThan(50);
  });

  test.each(["1.0", "0.50", "1e3", "-0", "9007199254740993", "0.1234567890123456789", "0.0000001", "-1.10"])(
    "reads the number %s exactly",
    (number) => {
      const { exact } = parseJson(Buffer.from(`{"a":[${number}]}`), "application/json");
      expect(JSON.stringify(exact)).toBe(`{"a":[${number}]}`);
    },
  );

  test("reports an unusual number only if JavaScript would write it differently", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^-?(0|[1-9][0-9]{0,16})([.][0-9]{1,8})?(e[+-]?[0-9]{1,2})?$/), (number) => {
        if (String(Number(number)) === number) return;
        expect(scanJson(Buffer.from(`[${number}]`)).hasUnusualNumbers).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("parses only once if every number is in JavaScript's notation", () => {
    const { value, exact } = parseJson(Buffer.from('{"a":[1,-2.5,0.1,"1.0",1700000000000]}'), "application/json");
    expect(exact).toBe(value);
  });

  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/json;",
    "application/json;charset=utf8",
    "application/json;charset=UTF-8",
    "application/problem+json",
    "Application/JSON",
  ])("accepts %s as a body", (contentType) => {
    expect(codeOf(Buffer.from("{}"), contentType)).toBe("ok");
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonx",
    "application/json; charset=utf-16",
    undefined,
  ])("refuses a body: %s", (contentType) => {
    expect(codeOf(Buffer.from("{}"), contentType)).toBe("unsupported_media_type");
  });

  test("refuses text that is not UTF-8", () => {
    expect(codeOf(Buffer.from([0x22, 0xff, 0x22]), "application/json")).toBe("contract_violation");
  });

  test("keeps __proto__ as an ordinary property", () => {
    const { value } = parseJson(Buffer.from('{"__proto__":{"polluted":true}}'), "application/json");
    expect(Object.hasOwn(value as object, "__proto__")).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
