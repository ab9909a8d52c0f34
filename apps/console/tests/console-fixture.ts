import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLogger } from "@platform/kit/process/telemetry";
import { connectRedis, type RedisConnection } from "@platform/quota/connect-redis";
import { freePort } from "@platform/test-kit/free-port";
import { startTestIdentity } from "@platform/test-kit/identity";
import { startTestMongo } from "@platform/test-kit/mongo";
import { startTestRedis } from "@platform/test-kit/redis";
import { startTestProcess } from "@platform/test-kit/test-process";
import { readConfig } from "../src/config.ts";
import { createConsole } from "../src/create-console.ts";
import { callbackPaths, type ProviderName, providerNames } from "../src/sign-in/identity-providers.ts";

const providerEntry = fileURLToPath(new URL("../../../tools/local/oidc-provider/src/main.ts", import.meta.url));
const password = "correct-horse-battery";
const roles = ["viewer", "support", "operator", "security", "root"] as const;
/** A member of projects, in addition to the operators. */
export const owner = { name: "owner", email: "owner@shop.example" } as const;
export type Role = (typeof roles)[number] | typeof owner.name;

/**
 * The permissions of the console's Redis user, as in docs/operations.md: its own keys, and the commands that it uses.
 */
export const consoleRedisRules = [
  "~console:*",
  "resetchannels",
  "-@all",
  "+get",
  "+set",
  "+getdel",
  "+del",
  "+pexpire",
  "+exists",
  "+ping",
  "+info",
];

export type Reply = { readonly status: number; readonly headers: Headers; readonly text: string };
/** A browser that keeps cookies and follows no redirect. */
export type Visitor = {
  readonly cookies: Map<string, string>;
  ask(path: string, init?: RequestInit): Promise<Reply>;
  /** Resolves as soon as the response has begun. */
  open(path: string, signal?: AbortSignal): Promise<Response>;
};

export type TestConsole = Awaited<ReturnType<typeof startTestConsole>>;

/**
 * Starts a console with identity-svc, the local identity provider, and a Redis in which the console has its own user.
 * @param env additional settings of the console
 * @param hasMembersProvider true if members have a separate identity provider, with people of the same names
 */
export async function startTestConsole(env: Readonly<Record<string, string>> = {}, hasMembersProvider = false) {
  const directory = await mkdtemp(join(tmpdir(), "console-"));
  const people = join(directory, "operators.env");
  const operators = roles.map((role) => `OPERATOR_${role.toUpperCase()}_PASSWORD=${password}\n`);
  await writeFile(
    people,
    `${operators.join("")}MEMBER_OWNER_PASSWORD=${password}\nMEMBER_OWNER_EMAIL=${owner.email}\n`,
  );
  const [mongo, redisServer] = await Promise.all([startTestMongo(), startTestRedis()]);
  const [port, probePort] = [await freePort(), await freePort()];
  const baseUrl = `http://127.0.0.1:${port}`;
  const startProvider = async (name: ProviderName) => {
    const providerPort = await freePort();
    const issuer = `http://127.0.0.1:${providerPort}`;
    const redirectUri = `${baseUrl}${callbackPaths[name]}`;
    const args = ["--port", `${providerPort}`, "--people", people, "--console-redirect-uri", redirectUri];
    const provider = startTestProcess(process.execPath, [providerEntry, ...args]);
    await provider.until(
      () =>
        fetch(`${issuer}/.well-known/openid-configuration`).then(
          ({ ok }) => ok,
          () => false,
        ),
      {
        what: "the identity provider answers",
      },
    );
    return { issuer, provider };
  };
  const started = await Promise.all((hasMembersProvider ? providerNames : (["operators"] as const)).map(startProvider));
  const [issuer = "", membersIssuer = ""] = started.map((each) => each.issuer);
  const identity = await startTestIdentity(mongo, redisServer.url, 0, {
    OPERATOR_OIDC_ISSUER: issuer,
    OPERATOR_OIDC_CLIENT_IDS: "console",
    // With this setting, some actions on Project Clients of the environment production wait for approval.
    SECOND_PERSON: "on",
    ...(hasMembersProvider ? { MEMBERS_OIDC_ISSUER: membersIssuer, MEMBERS_OIDC_CLIENT_IDS: "console" } : {}),
  });
  const redis: RedisConnection = connectRedis(redisServer.url, () => {});
  await new Promise((resolve) => redis.once("ready", resolve));
  const redisPassword = randomBytes(16).toString("hex");
  await redis.call("ACL", "SETUSER", "console", "on", `>${redisPassword}`, ...consoleRedisRules);
  const console = await createConsole(
    readConfig({
      HTTP_PORT: `${port}`,
      PROBE_PORT: `${probePort}`,
      CONSOLE_BASE_URL: baseUrl,
      REDIS_URL: redisServer.url.replace("redis://", `redis://console:${redisPassword}@`),
      IDENTITY_GRPC: identity.address,
      ...env,
    }),
    { logger: createLogger("console", "silent") },
  );

  const newVisitor = (): Visitor => {
    const cookies = new Map<string, string>();
    return {
      cookies,
      open: (path, signal) => {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        return fetch(new URL(path, baseUrl), { redirect: "manual", headers: { cookie }, ...(signal && { signal }) });
      },
      ask: async (path, init = {}) => {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const headers = { cookie, ...(init.headers as Record<string, string> | undefined) };
        const response = await fetch(new URL(path, baseUrl), { redirect: "manual", ...init, headers });
        for (const line of response.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          if (/max-age=0/i.test(line)) cookies.delete(name);
          else cookies.set(name, value);
        }
        return { status: response.status, headers: response.headers, text: await response.text() };
      },
    };
  };
  const locationOf = ({ headers }: Reply, from: string): string => new URL(headers.get("location") ?? "", from).href;

  /**
   * Guides a visitor through a provider's pages. @returns the address of the console that receives the provider's
   * response
   */
  const signInAtProvider = async (
    visitor: Visitor,
    role: Role,
    to = "/",
    as: ProviderName = "operators",
  ): Promise<string> => {
    const callback = `${baseUrl}${callbackPaths[as]}`;
    let at = new URL(`/sign-in?as=${as}&to=${encodeURIComponent(to)}`, baseUrl).href;
    let reply = await visitor.ask(at);
    while (reply.headers.has("location")) {
      at = locationOf(reply, at);
      reply = await visitor.ask(at);
    }
    const action = new URL(/<form[^>]*action="([^"]+)"/.exec(reply.text)?.[1] ?? "", at).href;
    reply = await visitor.ask(action, { method: "POST", body: new URLSearchParams({ username: role, password }) });
    for (at = locationOf(reply, action); !at.startsWith(callback); at = locationOf(reply, at))
      reply = await visitor.ask(at);
    return at;
  };
  return {
    baseUrl,
    membersIssuer,
    probeUrl: `http://127.0.0.1:${probePort}`,
    identity,
    redis,
    newVisitor,
    signInAtProvider,
    signIn: async (role: Role): Promise<Visitor> => {
      const visitor = newVisitor();
      const reply = await visitor.ask(await signInAtProvider(visitor, role));
      if (reply.status !== 303) throw new Error(`the sign-in ended with ${reply.status}: ${reply.text}`);
      return visitor;
    },
    close: async () => {
      console.stopServing();
      await console.close();
      redis.disconnect();
      await identity.close();
      await Promise.all(started.map(({ provider }) => provider.end()));
      await Promise.all([mongo.close(), redisServer.close(), rm(directory, { recursive: true, force: true })]);
    },
  };
}

/** Returns the token that the forms of a session's pages contain. */
export async function csrfOf(visitor: Visitor): Promise<string> {
  return /name="csrf" value="([0-9a-f]{64})"/.exec((await visitor.ask("/clients")).text)?.[1] ?? "";
}
