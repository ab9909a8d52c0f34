import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { scopes as allScopes } from "@platform/contracts/scopes";
import { runCtl } from "@platform/stack/run-ctl";
import { inject } from "vitest";
import type {} from "./global-setup.ts";

/** A response of the API. `json` is null if the body is not JSON. */
export type ApiReply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: any;
};

/** One request. If `idempotencyKey` is undefined, a key is generated; null sends none. */
export type ApiRequest = {
  /** Body of the request. A text or bytes are sent unchanged, and any other value as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Credential to present; null presents none. The default is the demo project's. */
  readonly credential?: string | null;
  readonly idempotencyKey?: string | null;
  /** Gateway to send the request to. The default is the first one. */
  readonly baseUrl?: string;
};

export type TestClient = {
  readonly id: string;
  readonly credential: string;
  readonly credentialId: string;
  readonly scopes: readonly string[];
};

const provided = inject("stack");

/** Runs `platformctl --json …` against the platform under test. Rejects with its output on stderr. */
export async function ctl(args: readonly string[]): Promise<any> {
  return runCtl(provided.directory, args);
}

/** Sends one request to the API. `path` is below /api/v1. */
export async function api(method: string, path: string, request: ApiRequest = {}): Promise<ApiReply> {
  const credential = request.credential === undefined ? provided.demo.PROJECT_CREDENTIAL : request.credential;
  const key = request.idempotencyKey === undefined ? randomUUID() : request.idempotencyKey;
  const response = await fetch(`${request.baseUrl ?? provided.baseUrl}/api/v1${path}`, {
    method,
    redirect: "manual",
    headers: {
      ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
      ...(key === null ? {} : { "idempotency-key": key }),
      ...(request.body === undefined ? {} : { "content-type": "application/json" }),
      ...request.headers,
    },
    ...(request.body === undefined ? {} : { body: isRaw(request.body) ? request.body : JSON.stringify(request.body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parseJson(text) };
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === "string" || body instanceof Uint8Array;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Creates a Project Client with one credential. */
export async function newClient(
  options: { scopes?: readonly string[]; environment?: string; returnUris?: readonly string[] } = {},
): Promise<TestClient> {
  const scopes = options.scopes ?? allScopes;
  const returnUris = (options.returnUris ?? []).flatMap((uri) => ["--return-uri", uri]);
  const name = `test-${randomUUID().slice(0, 8)}`;
  const { id } = await ctl([
    "clients",
    "create",
    "--name",
    name,
    "--environment",
    options.environment ?? "development",
    ...returnUris,
  ]);
  const issued = await ctl(["credentials", "issue", "--client", id, "--scopes", scopes.join(",")]);
  return { id, credential: issued.credential, credentialId: issued.id, scopes };
}

/**
 * Returns the environment variables that name a caller's certificate, or none if the platform under test has no TLS between its processes.
 */
function certificateOf(name: string): Record<string, string> {
  const folder = join(provided.directory, "tls", name);
  if (!existsSync(folder)) return {};
  return {
    GRPC_TLS_CA: join(folder, "ca.crt"),
    GRPC_TLS_CERT: join(folder, "tls.crt"),
    GRPC_TLS_KEY: join(folder, "tls.key"),
  };
}

/** The platform under test. */
export const acceptanceStack = {
  directory: provided.directory,
  baseUrl: provided.baseUrl,
  secondBaseUrl: provided.secondBaseUrl,
  internalUrl: provided.internalUrl,
  consoleUrl: provided.consoleUrl,
  sinkUrl: provided.sinkUrl,
  tracesUrl: provided.tracesUrl,
  /** The name of a service in traces. Services that share a process have the name of the process. */
  tracedAs: (service: string): string => provided.tracedAs ?? service,
  /** The demo project's settings. */
  env: provided.demo,
  credential: provided.demo.PROJECT_CREDENTIAL ?? "",
  projectClientId: provided.demo.PROJECT_CLIENT_ID ?? "",
  ctl,
  api,
  newClient,
  certificateOf,
};
