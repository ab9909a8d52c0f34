import { randomUUID } from "node:crypto";
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serviceNames } from "@platform/contracts/services";
import { defined } from "@platform/kit/process/fields";
import { issuePlatformCertificates } from "@platform/test-kit/certificates";
import { startTraceReceiver, type TraceReceiver } from "@platform/test-kit/trace-receiver";
import { freePortBase } from "../src/ports.ts";
import { runCtl } from "../src/run-ctl.ts";
import { readEnvFile } from "../src/settings.ts";
import { type Stack, startStack } from "../src/stack.ts";
import { type SteadyLoad, startSteadyLoad } from "./steady-load.ts";

/** A seeded platform with two replicas of every process, certificates for every process, and quotas that no load reaches. */
export type ReplicatedStack = {
  readonly stack: Stack;
  /** Collects a share of the traces of every process. */
  readonly traces: TraceReceiver;
  /** Names of the processes that a rollout restarts, in the order of their dependencies. */
  readonly processes: readonly string[];
  readonly clientId: string;
  startLoad(): Promise<SteadyLoad>;
  ctl(args: readonly string[]): Promise<unknown>;
  close(): Promise<void>;
};

/** @param options another version to start from, and more environment for every process */
export async function startReplicatedStack(
  options: { readonly root?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ReplicatedStack> {
  const directory = await mkdtemp(join(tmpdir(), "platform-replicas-"));
  const traces = await startTraceReceiver();
  const tlsOf = await issuePlatformCertificates(join(directory, "tls"), callers);
  const stack = await startStack({
    directory,
    portBase: await freePortBase(),
    hasReplicas: true,
    componentEnv: (name) => tlsOf(name.replace(/(-worker|-bounces)?(-2)?$/, "")),
    // Gateways of an earlier version, which has no TLS on HTTP ports, upload to files-svc of this version.
    env: {
      HTTP_PLAINTEXT: "allow",
      OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
      OTEL_TRACES_SAMPLER_ARG: "0.02",
      ...options.env,
    },
    ...defined({ root: options.root }),
  });
  const operator = Object.entries(tlsOf("operator")).map(([name, path]) => `${name}=${path}\n`);
  await appendFile(join(directory, "stack.env"), operator.join(""));
  const ctl = (args: readonly string[]): Promise<unknown> => runCtl(directory, args);
  await ctl(["demo", "seed"]);
  const demo = readEnvFile(join(directory, "demo.env"));
  const clientId = demo.PROJECT_CLIENT_ID ?? "";
  const resources = ["api_traffic", "events", "deliveries", "audit_retention", "storage_bytes"];
  for (const resource of resources) {
    await ctl(["quotas", "set", "--client", clientId, "--resource", resource, "--limit", "1000000000"]);
  }
  return {
    stack,
    traces,
    clientId,
    ctl,
    processes: stack.names().filter((name) => !["redis", "mongo", "provider-sink", "oidc-provider"].includes(name)),
    startLoad: async () => {
      const credential = demo.PROJECT_CREDENTIAL ?? "";
      const endpointId = await verifiedEndpoint(stack.baseUrl, credential);
      return startSteadyLoad({
        baseUrl: stack.baseUrl,
        credential,
        senderProfileId: demo.SENDER_PROFILE_EMAIL ?? "",
        templateKey: demo.DEMO_TEMPLATE_EMAIL ?? "",
        endpointId,
      });
    },
    close: async () => {
      await stack.stop();
      traces.close();
      if (process.env.KEEP_STACK === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

const callers = ["gateway", ...serviceNames.map((name) => `${name}-svc`), "operator"];

async function verifiedEndpoint(baseUrl: string, credential: string): Promise<string> {
  const post = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${credential}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: Record<string, string> }).data;
  };
  const endpoint = await post("/email-delivery-endpoints", { address: `load-${randomUUID()}@example.com` });
  await post(`/email-delivery-endpoints/${endpoint.id}/verify`, { token: endpoint.verification_token });
  return endpoint.id ?? "";
}
