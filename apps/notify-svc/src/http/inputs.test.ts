import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLogger } from "@platform/kit/process/telemetry";
import { onlyWith } from "@platform/test-kit/only-with";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createUnsubscribeApp } from "./unsubscribe-app.ts";

/**
 * The app of the tests. Using a store fails the test, because text that is not a token must be refused before
 * anything is looked up.
 */
const app = createUnsubscribeApp({
  stores: onlyWith({}),
  tokens: onlyWith({}),
  disabledClients: onlyWith({}),
  clock: expect.unreachable,
  logger: silentLogger(),
});
const server = createServer(app);
let baseUrl: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

type Layer = { readonly route?: { readonly path: string } };
const paths = [
  ...new Set((app.router as unknown as { stack: Layer[] }).stack.flatMap(({ route }) => route?.path ?? [])),
];

describe.each(paths)("%s", (path) => {
  it("has the token as its only path parameter", () => {
    expect(path.match(/:\w+/g)).toEqual([":token"]);
  });

  it.each(["GET", "POST"])(
    "rejects %s with a token of 65 or 10,000 characters, whatever else the request contains",
    async (method) => {
      for (const length of [65, 10_000]) {
        const token = "a".repeat(length);
        const url = `${baseUrl}${path.replace(":token", token)}?${"q".repeat(1_000)}`;
        const reply = await fetch(url, { method, ...(method === "POST" ? { body: "x".repeat(100_000) } : {}) });
        const text = await reply.text();
        // Asking for emails again gets the same response for every link.
        expect(reply.status).toBe(method === "POST" && path.endsWith("/resubscribe") ? 200 : 404);
        expect(text).not.toContain(token);
        expect(text.length).toBeLessThan(10_000);
      }
    },
  );
});

it("reads only the token of a request (an unbounded input)", () => {
  const source = readFileSync(new URL("./unsubscribe-app.ts", import.meta.url), "utf8");
  expect(source.match(/request\.(?:body|query|params|url|originalUrl)\b.*/g)).toEqual(["request.params.token);"]);
});
