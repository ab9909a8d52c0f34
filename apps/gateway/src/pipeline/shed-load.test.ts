import { expect, test } from "vitest";
import { credentialMark } from "./shed-load.ts";

const key = `${"1".repeat(32)}_${"ab".repeat(32)}`;

test("a caller that writes its credential in many cases stays one caller, with one share", () => {
  const marks = ["Bearer pcred_", "bearer pcred_", "BEARER PCRED_", "bEaReR pCrEd_"].map((start) =>
    credentialMark(start + key),
  );
  expect(new Set(marks).size).toBe(1);
});

test("the mark of a credential holds too little of its secret to be used", () => {
  expect(credentialMark(`Bearer pcred_${key}`)).toHaveLength("bearer pcred_".length + 32 + 1 + 16);
  expect(credentialMark(undefined)).toBeNull();
});
