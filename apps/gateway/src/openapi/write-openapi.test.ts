import { readFile } from "node:fs/promises";
import { errorCodes } from "@platform/contracts/errors";
import { expect, it } from "vitest";
import { buildErrorReference } from "./build-error-reference.ts";
import { generatedFiles } from "./write-openapi.ts";

it.each(generatedFiles())("keeps the committed $name equal to the contract", async ({ file, text }) => {
  expect(await readFile(file, "utf8")).toBe(text);
});

it("writes one line per code into the error reference, with the exceptional statuses", () => {
  const page = buildErrorReference();
  const lines = page.split("\n").filter((line) => line.startsWith("- `"));
  expect(lines.map((line) => line.split("`")[1]).sort()).toEqual(Object.keys(errorCodes).sort());
  expect(page).toContain("- `idempotency_key_reused` (409 on POST /noop): ");
  expect(page).toContain(" (404 on GET /identity-migration-transactions/{transactionId}): ");
  expect(page).toContain("- `deadline_exceeded` (retryable): ");
});
