import { describe, expect, it } from "vitest";
import { subjectHeader } from "./subject-header.ts";

/** Decodes a value that consists only of base64 encoded words. */
const decoded = (value: string): string =>
  value
    .split(" ")
    .map((word) => Buffer.from(/^=\?UTF-8\?B\?([A-Za-z0-9+/=]*)\?=$/.exec(word)?.[1] ?? "", "base64").toString())
    .join("");

describe("the Subject header", () => {
  it("leaves the encoding of a plain subject to the mail library", () => {
    expect(subjectHeader("Order 7 – 注文")).toEqual({ Subject: "Order 7 – 注文" });
  });

  it.each(["=?UTF-8?B?SGVsbG8=?=", "a =?utf-8?q?b?= c", `${"é😀".repeat(40)} =?x?Q?y?=`])(
    "encodes %s so that it arrives literally, in words of at most 75 characters",
    (subject) => {
      const { Subject: header } = subjectHeader(subject);
      const value = typeof header === "string" ? "" : header.value;
      expect(decoded(value)).toBe(subject);
      expect(Math.max(...value.split(" ").map((word) => word.length))).toBeLessThanOrEqual(75);
    },
  );
});
