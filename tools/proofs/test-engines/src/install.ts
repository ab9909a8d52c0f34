import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** Programs and definitions that the repository does not contain. */
export type Installation = {
  /** Folder of the programs that are built here, including those listed below. */
  readonly bin: string;
  readonly versitygw: string;
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubectl: string;
  /** CustomResourceDefinitions of the Gateway API, cert-manager and the Prometheus Operator, as YAML. */
  readonly definitions: readonly string[];
};

/** A registry, its client, and the program that signs images. publish-image.yml installs the latter by an action. */
const registryModules = [
  ["crane", "github.com/google/go-containerregistry/cmd/crane@v0.22.1"],
  ["cosign", "github.com/sigstore/cosign/v2/cmd/cosign@v2.6.5"],
] as const;
const versitygwModule = "github.com/versity/versitygw/cmd/versitygw@v1.8.0";
/** One program that acts as each of these, depending on the name by which it is called (kubernetes/programs). */
const kubernetesPrograms = [
  "etcd",
  "kubectl",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-proxy",
  "kube-scheduler",
  "kubelet",
] as const;
export const kubernetesVersion = "v1.34.4";
const definitionModules = [
  ["sigs.k8s.io/gateway-api@v1.4.1", "config/crd/standard"],
  ["github.com/cert-manager/cert-manager@v1.18.2", "deploy/crds"],
  ["github.com/prometheus-operator/prometheus-operator@v0.85.0", "example/prometheus-operator-crd"],
] as const;
/** Programs that a part of the tests runs. Their Debian packages have the same names. */
export const programsOf: Readonly<Record<string, readonly string[]>> = {
  redis: ["redis-server"],
  nats: ["nats-server"],
  load: ["redis-server", "nats-server", "prometheus"],
  images: ["podman", "runc", "debootstrap"],
  local: ["podman", "runc", "debootstrap"],
  registry: ["skopeo", "jq"],
};
const goVersionMin = [1, 24] as const;

/** Lists what this machine lacks for the chosen parts; empty if everything is present. */
export function missingRequirements(parts: readonly string[]): string[] {
  const missing: string[] = [];
  if (process.getuid?.() !== 0) missing.push("root, for stores that are killed and started again");
  for (const program of new Set(parts.flatMap((part) => programsOf[part] ?? [])))
    if (output(program, ["--version"]) === null) missing.push(`${program}: apt-get install ${program}`);
  const go = /go(\d+)\.(\d+)/.exec(output("go", ["version"]) ?? "");
  const [major, minor] = [Number(go?.[1] ?? 0), Number(go?.[2] ?? 0)];
  const isOld = major < goVersionMin[0] || (major === goVersionMin[0] && minor < goVersionMin[1]);
  if (["s3", "load", "kubernetes", "registry"].some((part) => parts.includes(part)) && isOld)
    missing.push(`Go ${goVersionMin.join(".")} or newer${go === null ? "" : `; here is ${major}.${minor}`}`);
  return missing;
}

/** Builds missing programs below the folder from Go modules. It takes no time once they exist. */
export async function install(folder: string, parts: readonly string[], say: (text: string) => void) {
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  const module = join(import.meta.dirname, "../kubernetes");
  const has = (...names: string[]): boolean => names.every((name) => existsSync(join(bin, name)));
  if ((parts.includes("s3") || parts.includes("load")) && !has("versitygw")) {
    say(`building ${versitygwModule}`);
    await go(["install", versitygwModule], folder, { GOBIN: bin });
  }
  for (const [name, module] of parts.includes("registry") ? registryModules : []) {
    if (has(name)) continue;
    say(`building ${module}; this takes minutes`);
    await go(["install", module], folder, { GOBIN: bin });
  }
  if (parts.includes("kubernetes") && !has("programs", ...kubernetesPrograms)) {
    say(`building etcd and Kubernetes ${kubernetesVersion}; this takes minutes`);
    const version = `-X k8s.io/component-base/version.gitVersion=${kubernetesVersion}`;
    await go(["build", "-buildvcs=false", "-ldflags", `-s -w ${version}`, "-o", `${bin}/`, "./programs"], module);
    for (const name of kubernetesPrograms) {
      rmSync(join(bin, name), { force: true });
      symlinkSync("programs", join(bin, name));
    }
  }
  if (parts.includes("cluster") && !has("coredns", "network-policies")) {
    say("building CoreDNS and the network policies of kube-router");
    await go(
      ["build", "-buildvcs=false", "-ldflags", "-s -w", "-o", `${bin}/`, "./coredns", "./network-policies"],
      module,
    );
  }
  return {
    bin,
    versitygw: join(bin, "versitygw"),
    etcd: join(bin, "etcd"),
    kubeApiserver: join(bin, "kube-apiserver"),
    kubectl: join(bin, "kubectl"),
    definitions: parts.includes("kubernetes") ? definitionModules.flatMap(readModule) : [],
  } satisfies Installation;
}

/** Returns the CustomResourceDefinitions of the named projects as YAML. */
export function readDefinitions(projects: readonly string[]): string[] {
  return definitionModules
    .filter(([module]) => projects.some((name) => module.includes(`/${name}@`)))
    .flatMap(readModule);
}

/**
 * Reads the definitions in a folder of a Go module. Those of cert-manager are Helm templates, whose template lines are removed.
 */
function readModule([module, folder]: readonly [string, string]): string[] {
  const { Dir } = JSON.parse(output("go", ["mod", "download", "-json", module]) ?? "{}") as { Dir?: string };
  if (Dir === undefined) throw new Error(`${module} cannot be downloaded`);
  const path = join(Dir, folder);
  return readdirSync(path)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => readFileSync(join(path, name), "utf8"))
    .map((text) => text.replace(/^.*\{\{.*\n/gm, ""));
}

async function go(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const child = spawn("go", args, { cwd, env: { ...process.env, ...env }, stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`go ${args[0]} ended with ${code}`);
}

function output(command: string, args: readonly string[]): string | null {
  try {
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/go/bin` };
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], env });
  } catch {
    return null;
  }
}
