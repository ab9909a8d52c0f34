import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
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

it("escapes control sequences in the address and the code that a hostile provider returns", async () => {
  const hostile = createServer((request, response) => {
    const issuer = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`;
    const answers: Record<string, object> = {
      "/.well-known/openid-configuration": {
        issuer,
        device_authorization_endpoint: `${issuer}/device`,
        token_endpoint: `${issuer}/token`,
      },
      "/device": {
        device_code: "d",
        user_code: "AB\u001b[2J\u202eCD",
        verification_uri: "https://provider.example/\u001b]0;owned\u0007",
        expires_in: 60,
        interval: 0.01,
      },
    };
    const answer = answers[request.url ?? ""];
    response.writeHead(answer === undefined ? 400 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { error: "access_denied" }));
  });
  await new Promise<void>((resolve) => hostile.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`;
  const shown: object[] = [];
  try {
    const signedIn = signInByDeviceCode({ issuer, clientId: "platformctl", scope: "openid" }, (device) =>
      shown.push(device),
    );
    await expect(signedIn).rejects.toThrow("the sign-in was cancelled in the browser");
  } finally {
    hostile.close();
  }
  expect(shown).toEqual([{ url: "https://provider.example/\\u001b]0;owned\\u0007", code: "AB\\u001b[2J\\u202eCD" }]);
});

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
