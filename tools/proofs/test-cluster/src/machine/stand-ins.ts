import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { output } from "@platform/test-engines/images/podman";
import { type Installation, kubernetesVersion } from "@platform/test-engines/install";

/**
 * Images that k8s/dev-stores and the pods of the cluster name. All have the same files, because no registry is used.
 */
export const storeImages: readonly { readonly reference: string; readonly entrypoint: readonly string[] }[] = [
  { reference: "docker.io/library/mongo:8.0", entrypoint: [] },
  { reference: "docker.io/library/redis:8.2", entrypoint: [] },
  { reference: "docker.io/library/nats:2.12", entrypoint: ["nats-server"] },
  { reference: "docker.io/library/busybox:1.37", entrypoint: [] },
  { reference: "docker.io/versity/versitygw:v1.8.0", entrypoint: ["versitygw"] },
  { reference: "docker.io/clamav/clamav:1.4", entrypoint: [] },
  { reference: "docker.io/axllent/mailpit:v1.27", entrypoint: ["mailpit"] },
  { reference: "registry.k8s.io/coredns/coredns:v1.12.4", entrypoint: ["coredns"] },
  { reference: "registry.k8s.io/pause:3.10", entrypoint: ["pause"] },
];

/**
 * Programs with the names and arguments that the manifests of the stores use: Debian's Redis, NATS and clamd, and the
 * project's own embedded MongoDB and provider sink. The latter listen on loopback, and connections are forwarded to
 * them.
 */
const scripts: Readonly<Record<string, string>> = {
  mongod: `#!/bin/sh
exec node /usr/local/lib/forward.js 27017 27018 /platform/tools/embedded-mongo/src/main.ts --port 27018 --data /data
`,
  mongosh: `#!/bin/sh
exec node -e 'require("net").connect(27017, "127.0.0.1").on("connect", () => process.exit(0)).on("error", () => process.exit(1))'
`,
  mailpit: `#!/bin/sh
exec node /usr/local/lib/forward.js 8025,1025 8026,1026 /platform/tools/provider-sink/src/main.ts --http-port 8026 --smtp-port 1026
`,
};

// Mailpit has no certificate and does not offer STARTTLS, so the sink's offer is hidden.
const forward = `const { spawn } = require("node:child_process");
const { connect, createServer } = require("node:net");
const { Transform } = require("node:stream");
const [ports, own, ...args] = process.argv.slice(2);
const child = spawn(process.execPath, args, { stdio: "inherit", env: { ...process.env, NODE_OPTIONS: "--disable-warning=ExperimentalWarning" } });
child.on("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal));
own.split(",").forEach((port, index) =>
  createServer({ pauseOnConnect: true }, (outer) => {
    const inner = connect(Number(port), "127.0.0.1");
    outer.on("error", () => inner.destroy());
    inner.on("error", () => outer.destroy());
    const hide = new Transform({
      transform: (bytes, _encoding, done) => done(null, bytes.toString("latin1").replaceAll("STARTTLS", "XNOTHING"), "latin1"),
    });
    const answers = ports.split(",")[index] === "1025" ? inner.pipe(hide) : inner;
    answers.pipe(outer).pipe(inner);
  }).listen(Number(ports.split(",")[index]), "0.0.0.0"),
);
`;

/** A scanner without signatures does not start; the signature of the standard test file (EICAR) is enough. */
const clamd = `#!/bin/sh
echo 44d88612fea8a8f36de82e1278abb02f:68:Eicar-Test-Signature >/var/lib/clamav/own.hdb
exec /usr/sbin/clamd --foreground -c /etc/clamav/clamd.conf
`;

/** Copies everything that the stores run into a folder, from Debian's packages. */
export async function writeStandIns(root: string, programs: Installation): Promise<void> {
  const bin = join(root, "usr/local/bin");
  for (const [name, text] of [...Object.entries(scripts), ["../../../init-unprivileged", clamd] as const]) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  writeFileSync(join(root, "usr/local/lib/forward.js"), forward);
  for (const name of ["versitygw", "coredns"]) copyFileSync(join(programs.bin, name), join(bin, name));
  mkdirSync(join(root, "etc/clamav"), { recursive: true });
  await buildPause(join(bin, "pause"));
}

/** Builds the process that keeps a pod's namespaces open, from the sources of Kubernetes. */
async function buildPause(target: string): Promise<void> {
  const module = await output("go", ["mod", "download", "-json", `k8s.io/kubernetes@${kubernetesVersion}`]);
  const { Dir } = JSON.parse(module) as { Dir: string };
  await output("gcc", ["-Os", "-static", "-DVERSION=v3.10", "-o", target, join(Dir, "build/pause/linux/pause.c")]);
}
