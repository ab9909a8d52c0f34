import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLogger } from "@platform/kit/process/telemetry";
import { errorHeader } from "@platform/kit/web/http";
import { onlyWith } from "@platform/test-kit/only-with";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BytesDependencies, createBytesListener } from "./create-bytes-listener.ts";

/**
 * The listener of the tests. Using a store fails the test, because text that is not a token must be refused before
 * anything is looked up.
 */
const { listen } = createBytesListener(
  onlyWith<BytesDependencies>({
    files: onlyWith({}),
    downloadGrants: onlyWith({}),
    publicAssets: onlyWith({}),
    compensations: onlyWith({}),
    blobs: onlyWith({}),
    disabledClients: onlyWith({}),
    metrics: onlyWith({ finished: () => {} }),
    logger: silentLogger(),
  }),
);
const server = createServer(listen);
let baseUrl: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
});
afterAll(() => void server.close());

const hex = (length: number): string => "a".repeat(length);
const [id, sha256] = ["0199c1f0-0000-7000-8000-000000000000", hex(64)];

test.each([
  ["PUT", "file-uploads", (length: number) => hex(length), 65, "contract_violation"],
  ["DELETE", "file-uploads", (length: number) => hex(length), 65, "contract_violation"],
  ["GET", "file-downloads", (length: number) => hex(length), 65, "download_not_found"],
  ["HEAD", "file-downloads", (length: number) => hex(length), 65, "download_not_found"],
  ["GET", "public-assets", (length: number) => `${id}/${hex(length)}.png`, 65, "download_not_found"],
  ["GET", "public-assets", (length: number) => `${id.padEnd(length, "0")}/${sha256}.png`, 37, "download_not_found"],
  ["GET", "public-assets", (length: number) => `${id}/${sha256}.${hex(length)}`, 5, "download_not_found"],
])("rejects %s /%s if an input is longer than its limit", async (method, route, pathOf, oneTooMany, code) => {
  for (const length of [oneTooMany, 10_000]) {
    const reply = await fetch(`${baseUrl}/${route}/${pathOf(length)}`, { method });
    expect(Buffer.from(reply.headers.get(errorHeader) ?? "", "base64").toString()).toContain(code);
  }
});

test("reads no query, and no part of a URL other than the route's parameters (an unbounded input)", () => {
  const folder = new URL("./", import.meta.url);
  const reads = readdirSync(folder)
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .flatMap((path) => readFileSync(new URL(path, folder), "utf8").match(/searchParams|request\.url\b.*/g) ?? []);
  expect(reads).toEqual([`request.url ?? "").split("?", 1);`]);
});
