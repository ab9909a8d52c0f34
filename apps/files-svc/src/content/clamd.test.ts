import { expect, test } from "vitest";
import { readVerdict } from "./clamd.ts";

test("accepts only the exact answer OK as clean", () => {
  expect(readVerdict("stream: OK")).toEqual({ isInfected: false, signature: null });
});

test("reports the signature of a finding", () => {
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
])("treats %s as no verdict", (reply) => {
  expect(() => readVerdict(reply)).toThrow("no verdict");
});
