import type { KubernetesObject } from "@platform/checks/manifests/render-overlay";
import type { Check } from "@platform/checks/nx/count-checks";
import { services } from "@platform/contracts/services";
import { eventually } from "@platform/test-kit/eventually";
import { list, podsIn } from "../cluster/api.ts";
import type { Cluster } from "../cluster/control-plane.ts";

/** Script that tries to connect once and prints how the attempt ended. */
const script = `
const { connect } = require("node:net");
const [host, port] = process.argv.slice(1);
const socket = connect({ host, port: Number(port), timeout: 4000 });
const end = (text) => { console.log(text); process.exit(0); };
socket.on("connect", () => end("connected"));
socket.on("timeout", () => end("no answer"));
socket.on("error", (error) => end(error.code));
`;

/**
 * Checks that a foreign pod in the platform's namespace reaches neither a service nor a store, and that the same pod
 * with the gateway's name reaches the service.
 */
export async function checkPolicies(
  cluster: Cluster,
  namespace: string,
  { check, say }: { readonly check: Check; readonly say: (text: string) => void },
): Promise<void> {
  const events = (await list(cluster, podsIn(namespace))).find(
    ({ metadata }) =>
      metadata.labels?.["app.kubernetes.io/name"] === "events-svc" &&
      metadata.labels["app.kubernetes.io/component"] === "server",
  );
  const store = (await list(cluster, podsIn("platform-stores"))).find(({ metadata }) =>
    metadata.name.startsWith("mongo-"),
  );
  const { grpcPort } = services.events;
  const [service, database] = [events?.status.podIP as string, store?.status.podIP as string];
  const tries: readonly (readonly [
    who: string,
    labels: Record<string, string>,
    address: string,
    port: number,
    expected: RegExp,
  ])[] = [
    ["a stranger to events-svc", { app: "stranger" }, service, grpcPort, /no answer|ECONNREFUSED/],
    ["a stranger to the database", { app: "stranger" }, database, 27017, /no answer|ECONNREFUSED/],
    ["the gateway to events-svc", { "app.kubernetes.io/name": "gateway" }, service, grpcPort, /^connected$/],
    ["the gateway to the database", { "app.kubernetes.io/name": "gateway" }, database, 27017, /no answer|ECONNREFUSED/],
  ];
  for (const [index, [who, labels, address, port, expected]] of tries.entries()) {
    const name = `caller-${index}`;
    await cluster.apply([callerPod(namespace, name, labels, [address, String(port)])]);
    await eventually(
      async () =>
        (await list(cluster, podsIn(namespace))).some(
          ({ metadata, status }) => metadata.name === name && status.phase === "Succeeded",
        ),
      { timeoutMs: 120_000, everyMs: 500, what: `${name} has tried` },
    );
    const said = (await cluster.kubectl(["-n", namespace, "logs", name])).trim();
    say(`NetworkPolicy: ${who}, port ${port}: ${said}`);
    check(`NetworkPolicy: ${who}: ${expected.source}`, expected.test(said), said);
    await cluster.kubectl(["-n", namespace, "delete", "pod", name, "--grace-period=0", "--force"]);
  }
}

function callerPod(
  namespace: string,
  name: string,
  labels: Record<string, string>,
  args: readonly string[],
): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels },
    spec: {
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65534, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name: "app",
          image: "busybox:1.37",
          // The rules of a new pod take effect a moment after its start.
          command: ["sh", "-c", 'sleep 3; exec node -e "$0" "$@"', script, ...args],
          resources: { requests: { cpu: "10m", memory: "32Mi" }, limits: { memory: "128Mi" } },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          },
        },
      ],
    },
  };
}
