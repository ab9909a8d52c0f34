import { expect, test } from "vitest";
import { readVerdict } from "./clamd.ts";

test("only the very answer OK is clean", () => {
  expect(readVerdict("stream: OK")).toEqual({ isInfected: false, signature: null });
});

test("a finding names its signature", () => {
  expect(readVerdict("stream: Eicar-Test-Signature FOUND")).toEqual({
    isInfected: true,
    signature: "Eicar-Test-Signature",
  });
});

test.each([
  ["INSTREAM size limit exceeded. ERROR"],
  ["stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND"],
  ["stream: OK and more"],
  [""],
])("%s is no verdict", (reply) => {
  expect(() => readVerdict(reply)).toThrow("no verdict");
});
