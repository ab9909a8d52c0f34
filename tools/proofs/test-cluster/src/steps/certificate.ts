import { X509Certificate } from "node:crypto";
import { connect } from "node:tls";
import type { KubernetesObject } from "@platform/checks/manifests/render-overlay";
import type { Check } from "@platform/checks/nx/count-checks";
import { services } from "@platform/contracts/services";
import { eventually } from "@platform/test-kit/eventually";
import { list, podsIn } from "../cluster/api.ts";
import type { Cluster } from "../cluster/control-plane.ts";
import type { Issuer } from "../environment/certificates.ts";
import type { Load } from "./load.ts";

/** Renews the certificate of events-svc in its Secret. The running pod must present the new one without a restart, and no request may fail. */
export async function rotateCertificate(
  cluster: Cluster,
  {
    namespace,
    objects,
    issuer,
  }: { readonly namespace: string; readonly objects: readonly KubernetesObject[]; readonly issuer: Issuer },
  load: Load,
  { check, say }: { readonly check: Check; readonly say: (text: string) => void },
): Promise<void> {
  const pod = async () =>
    (await list(cluster, podsIn(namespace))).find(
      ({ metadata }) =>
        metadata.labels?.["app.kubernetes.io/name"] === "events-svc" &&
        metadata.labels["app.kubernetes.io/component"] === "server" &&
        metadata.deletionTimestamp === undefined,
    );
  const before = await pod();
  if (before === undefined) throw new Error("events-svc has no pod");
  const serialNumber = (): Promise<string> => serialNumberAt(before.status.podIP, services.events.grpcPort);
  const shown = await serialNumber();
  const startedAtMs = performance.now();
  load.take();
  const certificate = objects.filter(({ kind, metadata }) => kind === "Certificate" && metadata.name === "events-svc");
  await cluster.apply(await issuer.secretsOf(certificate));
  await eventually(async () => (await serialNumber()) !== shown, {
    timeoutMs: 240_000,
    everyMs: 1_000,
    what: "events-svc shows its new certificate",
  });
  const { requests, failures } = load.take();
  const after = await pod();
  say(
    `certificate of events-svc: renewed after ${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s, ${requests} requests, ${failures.length} failed`,
  );
  check(
    "a renewed certificate is taken over without a failed request",
    failures.length === 0 && requests > 0,
    failures.slice(0, 5).join("\n"),
  );
  check(
    "a renewed certificate restarts nothing",
    after?.metadata.uid === before.metadata.uid &&
      after.status.containerStatuses[0].restartCount === before.status.containerStatuses[0].restartCount,
    JSON.stringify(after?.status),
  );
}

function serialNumberAt(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ["h2"], timeout: 5_000 }, () => {
      const { raw } = socket.getPeerCertificate();
      socket.destroy();
      resolve(new X509Certificate(raw).serialNumber);
    });
    socket.on("timeout", () => socket.destroy(new Error("no answer")));
    socket.on("error", reject);
  });
}
