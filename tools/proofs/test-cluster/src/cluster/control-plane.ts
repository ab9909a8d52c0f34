import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "@platform/checks/manifests/render-overlay";
import { eventually } from "@platform/test-kit/eventually";
import { command, node, services, startProcess } from "./machine.ts";

export type Cluster = {
  /**
   * Runs kubectl with `input` on its standard input and returns its output. Rejects with its error output if it fails.
   */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  apply(objects: readonly KubernetesObject[]): Promise<void>;
  readonly kubeconfig: string;
};

const token = "test-cluster";

/** Starts etcd, the API server, the controllers and the scheduler, and waits until the API server responds. */
export async function startControlPlane(folder: string, bin: string): Promise<Cluster> {
  const file = (name: string): string => join(folder, name);
  const url = `https://${node.address}:6443`;
  const etcd = "http://127.0.0.1:2379";
  await command("openssl", "genrsa", "-out", file("accounts.key"), "2048");
  writeFileSync(file("tokens.csv"), `${token},operator,operator,system:masters\n`);
  startProcess(folder, "etcd", join(bin, "etcd"), [
    "--data-dir=/var/lib/etcd",
    // The data of a test need not be on disk.
    "--unsafe-no-fsync",
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
  ]);
  startProcess(folder, "kube-apiserver", join(bin, "kube-apiserver"), [
    `--etcd-servers=${etcd}`,
    `--cert-dir=${file("certificates")}`,
    `--bind-address=${node.address}`,
    `--advertise-address=${node.address}`,
    "--secure-port=6443",
    `--service-cluster-ip-range=${services.cidr}`,
    `--service-node-port-range=${services.nodePorts}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${file("accounts.key")}`,
    `--service-account-signing-key-file=${file("accounts.key")}`,
    `--token-auth-file=${file("tokens.csv")}`,
    "--authorization-mode=RBAC",
    "--kubelet-preferred-address-types=InternalIP",
  ]);
  const kubeconfig = file("kubeconfig");
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "cluster",
      clusters: [{ name: "cluster", cluster: { server: url, "insecure-skip-tls-verify": true } }],
      users: [{ name: "operator", user: { token } }],
      contexts: [{ name: "cluster", context: { cluster: "cluster", user: "operator" } }],
    }),
    { mode: 0o600 },
  );
  const kubectl: Cluster["kubectl"] = (args, input = "") =>
    new Promise((resolve, reject) => {
      const child = execFile(
        join(bin, "kubectl"),
        [`--kubeconfig=${kubeconfig}`, ...args],
        { maxBuffer: 64 * 1024 * 1024, env: { HOME: folder } },
        (error, stdout, stderr) =>
          error === null ? resolve(stdout) : reject(new Error(`kubectl ${args.join(" ")}: ${stderr.slice(-2_000)}`)),
      );
      child.stdin?.on("error", () => {}).end(input);
    });
  await eventually(async () => (await kubectl(["get", "--raw", "/readyz"])) === "ok", {
    timeoutMs: 180_000,
    everyMs: 1_000,
    what: "the API server is ready",
  });
  startProcess(folder, "kube-controller-manager", join(bin, "kube-controller-manager"), [
    `--kubeconfig=${kubeconfig}`,
    `--service-account-private-key-file=${file("accounts.key")}`,
    `--root-ca-file=${file("certificates/apiserver.crt")}`,
    "--leader-elect=false",
    // There is no metrics server for autoscalers.
    "--controllers=*,-horizontal-pod-autoscaler-controller",
  ]);
  startProcess(folder, "kube-scheduler", join(bin, "kube-scheduler"), [
    `--kubeconfig=${kubeconfig}`,
    "--leader-elect=false",
  ]);
  return {
    kubeconfig,
    kubectl,
    apply: async (objects) => {
      if (objects.length === 0) return;
      const text = objects.map((object) => JSON.stringify(object)).join("\n---\n");
      await kubectl(["apply", "--server-side", "--force-conflicts", "--validate=strict", "-f", "-"], text);
    },
  };
}
