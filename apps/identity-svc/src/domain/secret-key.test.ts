import { expect, test } from "vitest";
import { formatSecretKey, parseSecretKey, secretKeyIdOf } from "./secret-key.ts";

const id = "a".repeat(32);
const secret = "b".repeat(64);

test("parses a secret key into the parts that it was composed of", () => {
  expect(parseSecretKey("psess", formatSecretKey("psess", id, secret))).toEqual({ id, secret });
});

test.each([
  ["the other prefix", `pcred_${id}_${secret}`],
  ["a short secret", `psess_${id}_${secret.slice(1)}`],
  ["upper case", `psess_${id}_${secret.toUpperCase()}`],
  ["something in front", ` psess_${id}_${secret}`],
  ["a line break behind", `psess_${id}_${secret}\n`],
  ["nothing", ""],
])("refuses %s as a Platform Session", (_what, presented) => {
  expect(parseSecretKey("psess", presented)).toBeNull();
});

test("uses the UUID without hyphens as the id", () => {
  expect(secretKeyIdOf("01900000-ABCD-7000-8000-000000000000")).toBe("01900000abcd70008000000000000000");
});
