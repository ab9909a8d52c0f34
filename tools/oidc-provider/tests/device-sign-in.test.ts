import { freePort } from "@platform/test-kit/free-port";
import * as openid from "openid-client";
import { afterAll, beforeAll, expect, it } from "vitest";
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

/** A browser without a screen: cookies, redirects, and forms that are sent with their hidden fields. */
function browser() {
  const cookies = new Map<string, string>();
  const go = async (url: URL, body?: URLSearchParams): Promise<{ url: URL; status: number; html: string }> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(body && { method: "POST", body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location !== null) return go(new URL(location, url));
    return { url, status: response.status, html: await response.text() };
  };
  const submit = (
    { url, html }: { url: URL; html: string },
    fields: Record<string, string> = {},
  ): ReturnType<typeof go> => {
    const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1] ?? url.href;
    const hidden = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const form = new URLSearchParams(hidden.map(([, name = "", value = ""]) => [name, value]));
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return go(new URL(action, url), form);
  };
  /** From the address that the device shows to the sign-in page: the code is sent, then confirmed. */
  const openSignIn = async (address: string): ReturnType<typeof go> => {
    let page = await go(new URL(address));
    for (let steps = 0; steps < 3 && !page.html.includes('name="password"'); steps += 1) page = await submit(page);
    return page;
  };
  return { submit, openSignIn };
}

it("signs a person in by device code with their roles in the ID token", async () => {
  const device = await openid.initiateDeviceAuthorization(configuration, { scope: "openid profile" });
  const visitor = browser();
  const signIn = await visitor.openSignIn(device.verification_uri_complete ?? "");
  expect(signIn.html).toContain('autocomplete="current-password"');
  const done = await visitor.submit(signIn, { username: "viewer", password: "right-password" });
  expect(done.html).toContain("Signed in");
  const tokens = await openid.pollDeviceAuthorizationGrant(configuration, device);
  expect(tokens.claims()).toMatchObject({ sub: "viewer", name: "Local viewer", roles: ["viewer"], aud: "platformctl" });
});

it("refuses a wrong password and an unknown person with the same answer", async () => {
  const device = await openid.initiateDeviceAuthorization(configuration, { scope: "openid profile" });
  const visitor = browser();
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
