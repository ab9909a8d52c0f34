import { createHeadlessBrowser } from "@platform/oidc-provider/headless-browser";
import { type LocalProvider, startLocalProvider } from "@platform/oidc-provider/start-local-provider";
import { freePort } from "@platform/test-kit/free-port";
import { afterEach, expect, it } from "vitest";
import { signInByDeviceCode } from "../src/sign-in/openid.ts";

const people = [{ subject: "viewer", name: "Local viewer", roles: ["viewer"], password: "right-password" }];
let provider: LocalProvider | null = null;
afterEach(async () => {
  await provider?.close();
  provider = null;
});

async function signIn(deviceCodeSeconds: number, visit: (url: string) => void): Promise<string> {
  const started = await startLocalProvider({
    port: await freePort(),
    people,
    consoleRedirectUris: ["http://127.0.0.1:8110/sign-in/callback"],
    deviceCodeSeconds,
  });
  provider = started;
  const where = { issuer: started.issuer, clientId: "platformctl", scope: "openid profile" };
  return signInByDeviceCode(where, ({ url }) => visit(url));
}

it("reports that the code expired unconfirmed", async () => {
  await expect(signIn(2, () => {})).rejects.toThrow(
    /^the code was not confirmed in time; run platformctl login again$/,
  );
});

it("reports that the person cancelled in the browser", async () => {
  const cancel = async (url: string): Promise<void> => {
    const visitor = createHeadlessBrowser();
    await visitor.submit(await visitor.submit(await visitor.open(url)), { abort: "yes" });
  };
  await expect(signIn(60, (url) => void cancel(url))).rejects.toThrow(/^the sign-in was cancelled in the browser$/);
});
