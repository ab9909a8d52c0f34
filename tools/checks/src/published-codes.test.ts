import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { readSource, repositoryRoot } from "./source-files.ts";

// Errors of admin services and of services that are called with machine tokens do not reach callers of the API.
const elsewhere =
  /\/grpc\/admin\/|-admin\.ts$|^libs\/operator-plane\/|\/(?:operator-(?:access|approvals|sign-in|sessions|request-error)|machine-caller)\.ts$/;
const sources = globSync("{apps,libs}/*/src/**/*.ts", { cwd: repositoryRoot })
  .filter((path) => !path.endsWith(".test.ts") && !path.startsWith("libs/client/") && !elsewhere.test(path))
  .map(readSource);

/** Errors that identity-svc returns to other services; the gateway maps them to internal_error. */
const betweenServices = ["project_client_not_found"];

type CodeSchema = { readonly enum: readonly string[] };
type Document = {
  readonly components: { readonly schemas: { readonly ViolationCode: CodeSchema; readonly ErrorCode: CodeSchema } };
};
const { ViolationCode, ErrorCode } = (JSON.parse(readSource("apps/gateway/openapi.json")) as Document).components
  .schemas;

/** Returns the codes that any of the patterns matches in the sources. */
function codesFound(...patterns: readonly RegExp[]): string[] {
  const found = sources.flatMap((text) => patterns.flatMap((pattern) => [...text.matchAll(pattern)]));
  return [...new Set(found.map(([, code]) => code ?? ""))].sort();
}

test("publishes every violation code of the sources in the enum", () => {
  const codes = codesFound(/\bcode: "([a-z_]+)",\s*message/g, /contractViolation\(\s*"[^"]*",\s*"([a-z_]+)"/g);
  expect(codes.length).toBeGreaterThan(5);
  expect(codes.filter((code) => !ViolationCode.enum.includes(code))).toEqual([]);
});

test("publishes every error code of the sources in the enum", () => {
  const codes = codesFound(/new ServiceError\(\s*"([a-z_]+)"/g);
  expect(codes.length).toBeGreaterThan(30);
  const published = ErrorCode.enum;
  expect(codes.filter((code) => !published.includes(code) && !betweenServices.includes(code))).toEqual([]);
});
