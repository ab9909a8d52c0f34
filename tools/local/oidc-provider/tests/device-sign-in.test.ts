import { freePort } from "@platform/test-kit/free-port";
import * as openid from "openid-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createHeadlessBrowser } from "../src/headless-browser.ts";
import type { Person } from "../src/people.ts";
import { type LocalProvider, startLocalProvider } from "../src/start-local-provider.ts";

const people: Person[] = [{ subject: "viewer", name: "Local viewer", roles: ["viewer"], password: "right-password" }];
let provider: LocalProvider;
let configuration: openid.Configuration;

beforeAll(async () => {
  const port = await freePort();
  provider = await startLocalProvider({
    port,
    people,
    consoleRedirectUris: ["http://127.0.0.1:8110/sign-in/callback"],
  });
  configuration = await openid.discovery(new URL(provider.issuer), "platformctl", undefined, openid.None(), {
    execute: [openid.allowInsecureRequests],
  });
});
afterAll(() => provider.close());

it("signs a person in by device code with their roles in the ID token", async () => {
  const device = await openid.initiateDeviceAuthorization(configuration, { scope: "openid profile" });
  const visitor = createHeadlessBrowser();
  const signIn = await visitor.openSignIn(device.verification_uri_complete ?? "");
  expect(signIn.html).toContain('autocomplete="current-password"');
  const done = await visitor.submit(signIn, { username: "viewer", password: "right-password" });
  expect(done.html).toContain("Signed in");
  const tokens = await openid.pollDeviceAuthorizationGrant(configuration, device);
  expect(tokens.claims()).toMatchObject({ sub: "viewer", name: "Local viewer", roles: ["viewer"], aud: "platformctl" });
});

it("rejects a wrong password and an unknown person with the same response", async () => {
  const device = await openid.initiateDeviceAuthorization(configuration, { scope: "openid profile" });
  const visitor = createHeadlessBrowser();
  const signIn = await visitor.openSignIn(device.verification_uri_complete ?? "");
  const answers = [];
  for (const username of ["viewer", "mallory"]) {
    const refused = await visitor.submit(signIn, { username, password: "wrong-password" });
    answers.push([refused.status, refused.html.includes("The name or the password is wrong.")]);
  }
  expect(answers).toEqual([
    [401, true],
    [401, true],
  ]);
});
