import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { operationList } from "@platform/contracts/operations";
import { expect, test } from "vitest";
import { buildOpenApi } from "./build-openapi.ts";

const root = resolve(import.meta.dirname, "../../../..");
// What the admin services answer reaches operators' tools, not the callers of the API.
const sources = globSync("{apps,libs}/*/src/**/*.ts", { cwd: root })
  .filter((path) => !path.endsWith(".test.ts") && !path.includes("/grpc/admin/") && !path.startsWith("libs/client/"))
  .map((path) => readFileSync(join(root, path), "utf8"));

/** What identity-svc answers other services with; at the edge it is an internal_error. */
const betweenServices = ["project_client_not_found"];

const document = buildOpenApi(operationList);
const { ViolationCode, ErrorCode } = (document.components as { schemas: Record<string, unknown> }).schemas as Record<
  "ViolationCode" | "ErrorCode",
  { enum: string[] }
>;

/** The codes that any of the patterns finds in the sources. */
function codesFound(...patterns: readonly RegExp[]): string[] {
  const found = sources.flatMap((text) => patterns.flatMap((pattern) => [...text.matchAll(pattern)]));
  return [...new Set(found.map(([, code]) => code ?? ""))].sort();
}

test("every violation code that the sources can give is in the published enum", () => {
  const codes = codesFound(/\bcode: "([a-z_]+)",\s*message/g, /contractViolation\(\s*"[^"]*",\s*"([a-z_]+)"/g);
  expect(codes.length).toBeGreaterThan(5);
  expect(codes.filter((code) => !ViolationCode.enum.includes(code))).toEqual([]);
});

test("every error code that the sources can give is in the published enum", () => {
  const codes = codesFound(/new ServiceError\(\s*"([a-z_]+)"/g);
  expect(codes.length).toBeGreaterThan(30);
  expect(codes.filter((code) => !ErrorCode.enum.includes(code) && !betweenServices.includes(code))).toEqual([]);
});
