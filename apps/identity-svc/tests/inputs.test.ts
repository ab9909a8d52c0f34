import { silentLogger } from "@platform/kit/process/telemetry";
import { onlyWith } from "@platform/test-kit/only-with";
import type { Express } from "express";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHostedApp } from "../src/http/create-hosted-app.ts";
import { inputLengths } from "../src/http/inputs.ts";
import type { IdentityContext } from "../src/identity-context.ts";
import { openBrowser, pages } from "./hosted-browser.ts";
import { startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.close());

type Layer = {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle: { readonly stack?: readonly Layer[] };
};

/** The Express routes of the pages, such as `post /sign-in`. The app receives no requests, so it needs no stores. */
function routes(): (readonly [method: string, path: string])[] {
  const app: Express = createHostedApp(
    onlyWith<IdentityContext>({ publicBaseUrl: "http://127.0.0.1", platformBrand: onlyWith({}) }),
    silentLogger(),
  );
  const layers = (stack: readonly Layer[]): Layer[] =>
    stack.flatMap((layer) => [layer, ...layers(layer.handle?.stack ?? [])]);
  return layers((app.router as unknown as { readonly stack: readonly Layer[] }).stack).flatMap(({ route }) =>
    route === undefined ? [] : Object.keys(route.methods).map((method) => [method, route.path] as const),
  );
}

const all = routes();
const pagesOf = (method: string) =>
  all.filter(([one, path]) => one === method && !path.startsWith("/api/") && !path.includes(":version"));

test("finds the routes of the pages", () => {
  expect(pagesOf("post").length).toBeGreaterThanOrEqual(11);
  expect(pagesOf("get").length).toBeGreaterThanOrEqual(7);
});

test.each(all)("lists every parameter in the path of %s %s", (_method, path) => {
  for (const [, name = ""] of path.matchAll(/:(\w+)/g)) expect(Object.keys(inputLengths.path)).toContain(name);
});

test.each(pagesOf("post"))(
  "refuses %s %s if any field is one character too long (an unbounded field)",
  async (_method, path) => {
    for (const [name, lengthMax] of Object.entries(inputLengths.field)) {
      const reply = async (length: number) => {
        const { status, html } = await openBrowser(identity).post(`${pages}${path}`, { [name]: "x".repeat(length) });
        return [name, status, html.includes("The request cannot be read")];
      };
      expect(await reply(lengthMax + 1)).toEqual([name, 422, true]);
      expect((await reply(lengthMax))[2]).toBe(false);
    }
  },
);

test.each(pagesOf("get"))("refuses %s %s if any query parameter is one character too long", async (_method, path) => {
  for (const [name, lengthMax] of Object.entries(inputLengths.query)) {
    const reply = async (length: number) => {
      const at = `${pages}${path.replace(":token", "a".repeat(64))}?${name}=${"x".repeat(length)}`;
      return (await openBrowser(identity).get(at)).html.includes("The request cannot be read");
    };
    expect([name, await reply(lengthMax), await reply(lengthMax + 1)]).toEqual([name, false, true]);
  }
});
