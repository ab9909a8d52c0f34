import { describe, expect, test } from "vitest";
import { BadHeaders, readCallHeaders } from "./call-headers.ts";

const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-H${n}`, "v"]));
const read = (headers: unknown) => readCallHeaders(JSON.stringify(headers));

describe("headers of an operation's calls", () => {
  test("reads headers in their order, and returns none for an empty object", () => {
    expect(read({ "X-Environment": "blue", Authorization: "Bearer a b" })).toEqual([
      ["X-Environment", "blue"],
      ["Authorization", "Bearer a b"],
    ]);
    expect(readCallHeaders("{}")).toEqual([]);
  });

  test("allows at most 10 headers, with names of 100 and values of 1,000 characters", () => {
    expect(read(named(10))).toHaveLength(10);
    expect(() => read(named(11))).toThrow("at most 10");
    expect(read({ [`X${"a".repeat(99)}`]: "v".repeat(1_000) })).toHaveLength(1);
    expect(() => read({ [`X${"a".repeat(100)}`]: "v" })).toThrow(BadHeaders);
    expect(() => read({ "X-A": "v".repeat(1_001) })).toThrow(BadHeaders);
  });

  test.each(["Connection", "keep-alive", "Transfer-Encoding", "TE", "Upgrade", "Proxy-Authorization", "Trailer"])(
    "refuses the header %s, which is only for a single hop (request smuggling)",
    (name) => expect(() => read({ [name]: "x" })).toThrow("the platform's own"),
  );

  test.each(["webhook-signature", "Webhook-Id", "WEBHOOK-TIMESTAMP", "Content-Length", "content-type", "Host"])(
    "refuses the header %s, which signs or frames the call (signature forgery)",
    (name) => expect(() => read({ [name]: "x" })).toThrow("the platform's own"),
  );

  test.each(["a\r\nX-Evil: 1", "a\nb", "a\0", " a", "a ", "", "ä", 7, null, ["a"]])(
    "refuses the value %j (header injection)",
    (value) => expect(() => read({ "X-A": value })).toThrow("the value of X-A"),
  );

  test.each(["", "X A", "X:A", "X\r\nA", "Ä"])("refuses the name %j (header injection)", (name) =>
    expect(() => read({ [name]: "x" })).toThrow("is no name of a header"),
  );

  test("rejects a header name that appears twice in different case", () => {
    expect(() => read({ "X-A": "1", "x-a": "2" })).toThrow("given twice");
  });

  test.each(["", "[]", "null", "7", "{"])("refuses %j, which is not a JSON object", (json) =>
    expect(() => readCallHeaders(json)).toThrow("are a JSON object"),
  );
});
