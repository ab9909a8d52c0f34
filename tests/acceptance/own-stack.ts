import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { freePortBase } from "@platform/stack/ports";
import { type CtlSettings, runCtl } from "@platform/stack/run-ctl";
import { type Stack, type StackOptions, startStack } from "@platform/stack/stack";

/** A separate platform for one test file, whose processes the test may kill, pause and restart. */
export type OwnStack = {
  readonly stack: Stack;
  /** Base URL of each gateway. */
  readonly gateways: readonly [string, string];
  ctl(args: readonly string[], settings?: CtlSettings, input?: string): Promise<any>;
  /**
   * Sends a request to the first gateway and repeats it while the response is retryable. Returns `data`; throws if the
   * request is rejected.
   */
  make(method: string, path: string, credential: string, body?: unknown): Promise<any>;
  /** Creates a Project Client with one credential. By default it has the scopes that the core tests need. */
  newClient(environment?: string, scopes?: string): Promise<{ id: string; credential: string; credentialId: string }>;
  close(): Promise<void>;
};

/** Starts a platform with two gateways. */
export async function startOwnStack(
  env: Readonly<Record<string, string>> = {},
  options: Partial<
    Pick<
      StackOptions,
      "portBase" | "hasSecondGateway" | "componentEnv" | "secondWorkers" | "hasConsole" | "hasMonitoring"
    >
  > = {},
): Promise<OwnStack> {
  const directory = await mkdtemp(join(tmpdir(), "platform-own-"));
  const stack = await startStack({
    directory,
    portBase: options.portBase ?? (await freePortBase()),
    hasSecondGateway: true,
    // Stacks of several test files may share one database server.
    env: { MONGODB_DATABASE_PREFIX: `${basename(directory)}_`, ...env },
    ...options,
  });
  const ctl: OwnStack["ctl"] = (args, settings, input) => runCtl(directory, args, settings, input);
  return {
    stack,
    gateways: [stack.baseUrl, `http://127.0.0.1:${stack.ports.secondGateway}`],
    ctl,
    make: async (method, path, credential, body) => {
      const key = randomUUID();
      const send = () =>
        fetch(`${stack.baseUrl}/api/v1${path}`, {
          method,
          headers: {
            authorization: `Bearer ${credential}`,
            "idempotency-key": key,
            ...(body === undefined ? {} : { "content-type": "application/json" }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
      // As a project does, this repeats requests that were rejected because of overload, which is more frequent on a slow machine.
      const untilMs = performance.now() + 60_000;
      for (;;) {
        const response = await send();
        const json = (await response.json()) as any;
        if (response.ok) return json.data;
        if (json.error.retryable !== true || performance.now() > untilMs) {
          throw new Error(`${method} ${path} answered ${response.status} ${JSON.stringify(json)}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    newClient: async (environment = "development", scopes = "clients:read,audit:write,events:write") => {
      const client = await ctl(["clients", "create", "--name", "test", "--environment", environment]);
      const issued = await ctl(["credentials", "issue", "--client", client.id, "--scopes", scopes]);
      return { id: client.id, credential: issued.credential, credentialId: issued.id };
    },
    close: async () => {
      await stack.stop();
      if (process.env.KEEP_STACK === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A response; null if the connection broke before it arrived. */
export type Outcome = { readonly status: number; readonly json: any; readonly isReplayed: boolean } | null;

/** Sends JSON by POST with a credential and a key. A broken connection is returned as an outcome, not thrown. */
export async function post(
  baseUrl: string,
  path: string,
  credential: string,
  key: string,
  body: unknown,
): Promise<Outcome> {
  try {
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${credential}`, "idempotency-key": key, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const json: unknown = await response.json();
    return { status: response.status, json, isReplayed: response.headers.get("idempotency-replayed") === "true" };
  } catch {
    return null;
  }
}

/** Repeats a request until the response is not retryable, as a caller does. */
export async function postUntilSettled(
  baseUrls: readonly string[],
  path: string,
  credential: string,
  key: string,
  body: unknown,
): Promise<Exclude<Outcome, null>> {
  return postUntil(({ json }) => json.error?.retryable !== true, baseUrls, [path, credential, key, body]);
}

/**
 * Repeats a request, as a caller does, until it is admitted or its quota refuses it. The platform answers 503 to requests that it
 * has no room for, which is more frequent on a slow machine.
 */
export async function postUntilMetered(
  baseUrl: string,
  ...request: readonly [path: string, credential: string, key: string, body: unknown]
): Promise<Exclude<Outcome, null>> {
  return postUntil(({ status }) => status !== 503, [baseUrl], request);
}

async function postUntil(
  isSettled: (outcome: Exclude<Outcome, null>) => boolean,
  baseUrls: readonly string[],
  request: readonly [path: string, credential: string, key: string, body: unknown],
): Promise<Exclude<Outcome, null>> {
  const until = performance.now() + 60_000;
  for (let attempt = 0; performance.now() < until; attempt += 1) {
    const outcome = await post(baseUrls[attempt % baseUrls.length] ?? "", ...request);
    if (outcome !== null && isSettled(outcome)) return outcome;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${request[0]} was not settled within a minute`);
}
