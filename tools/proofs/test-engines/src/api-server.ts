import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tied } from "@platform/stack/child";
import { eventually } from "@platform/test-kit/eventually";
import { freePort } from "@platform/test-kit/free-port";
import { endChild } from "@platform/test-kit/test-process";
import type { Installation } from "./install.ts";

/** A Kubernetes API server with its own etcd and without nodes: it only validates and stores objects. */
export type ApiServer = {
  /** Runs kubectl with `input` on its standard input and returns its output and exit code. */
  kubectl(args: readonly string[], input?: string): Promise<{ code: number; stdout: string; stderr: string }>;
  close(): Promise<void>;
};

const token = "test-engines";

export async function startApiServer(programs: Installation): Promise<ApiServer> {
  const folder = mkdtempSync(join(tmpdir(), "api-server-"));
  const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const at = (one: number): string => `http://127.0.0.1:${one}`;
  const key = join(folder, "service-account.key");
  execFileSync("openssl", ["genrsa", "-out", key, "2048"], { stdio: "ignore" });
  writeFileSync(join(folder, "tokens.csv"), `${token},test,test,system:masters\n`);
  const children = [
    start(programs.etcd, [
      `--data-dir=${join(folder, "etcd")}`,
      `--listen-client-urls=${at(etcdPort)}`,
      `--advertise-client-urls=${at(etcdPort)}`,
      `--listen-peer-urls=${at(peerPort)}`,
      `--initial-advertise-peer-urls=${at(peerPort)}`,
      `--initial-cluster=default=${at(peerPort)}`,
    ]),
    start(programs.kubeApiserver, [
      `--etcd-servers=${at(etcdPort)}`,
      `--cert-dir=${folder}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      "--service-cluster-ip-range=10.0.0.0/24",
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`,
      `--token-auth-file=${join(folder, "tokens.csv")}`,
      "--authorization-mode=RBAC",
      // Without controllers there are no service account tokens to mount, although pods name an account.
      "--disable-admission-plugins=ServiceAccount",
    ]),
  ];
  const server = [`--server=https://127.0.0.1:${port}`, "--insecure-skip-tls-verify", `--token=${token}`];
  const kubectl: ApiServer["kubectl"] = (args, input = "") =>
    new Promise((resolve) => {
      const child = execFile(
        programs.kubectl,
        [...server, ...args],
        { maxBuffer: 64 * 1024 * 1024, env: { HOME: folder } },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, stdout, stderr }),
      );
      child.stdin?.end(input);
    });
  await eventually(async () => (await kubectl(["get", "--raw", "/readyz"])).code === 0, {
    timeoutMs: 120_000,
    everyMs: 500,
    what: "the API server is ready",
  });
  return {
    kubectl,
    close: async () => {
      for (const child of children.reverse()) await endChild(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function start(command: string, args: readonly string[]): ChildProcess {
  return spawn(...(tied(command, args) as [string, string[]]), { stdio: "ignore" });
}
