import { randomBytes } from "node:crypto";
import { createHeadlessBrowser } from "@platform/oidc-provider/headless-browser";
import { type LocalProvider, startLocalProvider } from "@platform/oidc-provider/start-local-provider";

export type TestProvider = LocalProvider & {
  /** Signs a person in at the console. Returns the page at which the sign-in ends. */
  signIn(): Promise<{ readonly status: number; readonly html: string }>;
};

/** Starts an OpenID Provider with one person, who has the role viewer of operators. */
export async function startTestProvider(port: number, consoleUrl: string): Promise<TestProvider> {
  const person = {
    subject: "viewer",
    name: "Vera Viewer",
    roles: ["viewer"],
    password: randomBytes(12).toString("hex"),
  };
  const provider = await startLocalProvider({
    port,
    people: [person],
    consoleRedirectUris: [`${consoleUrl}/sign-in/callback`],
  });
  return {
    ...provider,
    signIn: async () => {
      const browser = createHeadlessBrowser();
      const form = await browser.open(`${consoleUrl}/sign-in`);
      return browser.submit(form, { username: person.subject, password: person.password });
    },
  };
}
