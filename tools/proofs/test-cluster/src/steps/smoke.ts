import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Check } from "@platform/checks/nx/count-checks";
import { type Counts, runFiles } from "@platform/checks/nx/run-ring";
import { addressVariables } from "@platform/contracts/service-addresses";
import { serviceNames, services } from "@platform/contracts/services";
import { runDemoRequests } from "@platform/stack/demo-requests";
import { runCtl } from "@platform/stack/run-ctl";
import { readEnvFile, writeEnvFile } from "@platform/stack/settings";
import { eventually } from "@platform/test-kit/eventually";
import type { Cluster } from "../cluster/control-plane.ts";
import { baseUrl } from "../environment/environment.ts";
import type { Secrets } from "../environment/secrets.ts";

/** Tests that need only the platform itself. */
const tests = ["edge-noop", "events-domain-events", "events-audits", "files-flow", "every-operation-authentication"];

const sinkUrl = "http://mailpit.platform-stores.svc.cluster.local:8025";

/** A Project Client that the following steps use. */
export type Demo = Readonly<Record<string, string>>;

/**
 * Seeds the demo project as an operator, by gRPC to the pods, and sends a request to each domain through the port of
 * the node.
 * @param folder receives the operator's settings and the seeded data
 */
export async function seedAndRequest(
  cluster: Cluster,
  namespace: string,
  folder: string,
  { secrets, check, say }: { readonly secrets: Secrets; readonly check: Check; readonly say: (text: string) => void },
): Promise<Demo> {
  mkdirSync(folder, { recursive: true });
  for (const file of ["ca.crt", "tls.crt", "tls.key"]) {
    const template = `go-template={{index .data "${file}" | base64decode}}`;
    const text = await cluster.kubectl(["-n", namespace, "get", "secret", "operator-tls", "-o", template]);
    writeFileSync(join(folder, file), text, { mode: 0o600 });
  }
  writeEnvFile(join(folder, "stack.env"), {
    OPERATOR_TOKEN: secrets.operatorToken,
    PUBLIC_BASE_URL: baseUrl,
    GRPC_TLS_CA: join(folder, "ca.crt"),
    GRPC_TLS_CERT: join(folder, "tls.crt"),
    GRPC_TLS_KEY: join(folder, "tls.key"),
    SMTP_URL: "smtp://mailpit.platform-stores.svc.cluster.local:1025?tls=optional",
    SINK_URL: sinkUrl,
    ...addressVariables("GRPC", serviceNames, (name) => `${name}-svc:${services[name].grpcPort}`),
  });
  await eventually(async () => (await fetch(`${baseUrl}/api/v1/health`)).ok, { everyMs: 500, what: "/health is 200" });
  const ctl = (args: readonly string[]): Promise<unknown> => runCtl(folder, args);
  await ctl(["demo", "seed"]);
  const demo = readEnvFile(join(folder, "demo.env"));
  const problem = await runDemoRequests({ demo, ctl, sinkUrl, show: say }).then(
    () => "",
    (error: Error) => error.message,
  );
  check(`a request through each domain of ${namespace} is answered`, problem === "", problem);
  return demo;
}

/** Runs the acceptance tests that accept a given platform. */
export const runAcceptance = (folder: string): Promise<Counts> =>
  runFiles(
    "acceptance",
    tests.map((name) => `tests/acceptance/${name}.test.ts`),
    { ...process.env, BASE_URL: baseUrl, STACK_DIR: folder },
  );
