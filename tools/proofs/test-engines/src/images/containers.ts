import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readSource } from "@platform/checks/source-files";
import { parse } from "yaml";
import type { Podman } from "./podman.ts";

/** The parts of a service in compose.yaml that are needed to start its container by hand. */
type Service = {
  readonly image: string;
  readonly build?: { readonly args: { readonly APP: string } };
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly tmpfs: readonly string[];
  readonly deploy: {
    readonly resources: { readonly limits: { readonly cpus: string; readonly memory: string; readonly pids: number } };
  };
};

/** Returns the platform's own services of compose.yaml, by name. */
export function platformServices(): Map<string, Service> {
  const { services } = parse(readSource("compose.yaml"), { merge: true }) as { services: Record<string, Service> };
  return new Map(Object.entries(services).filter(([, { build }]) => build !== undefined));
}

export const appOf = ({ build }: Service): string => build?.args.APP ?? "";
export const imageOf = (app: string): string => `localhost/platform/${app}:test`;

export type ContainerOptions = {
  readonly name: string;
  readonly service: Service;
  /** Arguments of Node that replace those of compose.yaml. */
  readonly command?: readonly string[];
  /** Image that replaces the app's. */
  readonly image?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folder that contains one folder of certificates per process. */
  readonly certificates: string;
  /** Folder that replaces the volumes of compose.yaml. */
  readonly volumes: string;
};

/**
 * Returns the arguments of `podman run`: the restrictions of compose.yaml, on this machine's network and its loopback addresses. From the environment in
 * compose.yaml it takes only values that do not refer to the network of compose; `env` supplies the others.
 */
export function runArguments(options: ContainerOptions): string[] {
  const { name, service, command, env, certificates, volumes } = options;
  const app = appOf(service);
  const { limits } = service.deploy.resources;
  const work = join(volumes, "work");
  mkdirSync(work, { recursive: true });
  chmodSync(work, 0o777);
  const kept = ["GRPC_TLS_CA", "GRPC_TLS_CERT", "GRPC_TLS_KEY", "BLOB_STORE", "S3_BUCKET", "WORK_DIRECTORY"];
  const environment = {
    ...Object.fromEntries(Object.entries(service.environment).filter(([variable]) => kept.includes(variable))),
    ...env,
  };
  return [
    // Health checks of podman would need systemd.
    ...["--name", name, "--network", "host", "--no-healthcheck", ...ulimits()],
    ...(service.read_only ? ["--read-only", "--read-only-tmpfs=false"] : []),
    ...service.cap_drop.flatMap((capability) => ["--cap-drop", capability]),
    ...service.security_opt.flatMap((option) => ["--security-opt", option.replace(":true", "")]),
    ...service.tmpfs.flatMap((mount) => ["--tmpfs", mount]),
    ...["--memory", limits.memory.toLowerCase(), "--cpus", limits.cpus, "--pids-limit", String(limits.pids)],
    ...["--volume", `${join(certificates, app)}:/tls:ro`, "--volume", `${work}:/work`],
    ...Object.entries(environment).flatMap(([variable, value]) => ["--env", `${variable}=${value}`]),
    options.image ?? imageOf(app),
    ...(command ?? service.command),
  ];
}

/** Returns resource limits that a sandbox without CAP_SYS_RESOURCE permits, because podman would try to raise both limits. */
export function ulimits(): string[] {
  const files = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? "1024";
  return ["--ulimit", `nofile=${files}:${files}`, "--ulimit", "nproc=4096:4096"];
}

/** Reads the kernel's information about the first process of a running container. */
export async function restrictionsOf(podman: Podman, name: string) {
  const status = await podman.run("exec", name, "cat", "/proc/1/status");
  const line = (field: string): string => new RegExp(`^${field}:\\s+(.*)$`, "m").exec(status)?.[1] ?? "";
  const writes = (path: string): Promise<boolean> =>
    podman.run("exec", name, "touch", path).then(
      () => true,
      () => false,
    );
  return {
    uid: line("Uid").split(/\s+/)[0],
    capabilities: Number.parseInt(line("CapBnd"), 16) + Number.parseInt(line("CapEff"), 16),
    mayGainPrivileges: line("NoNewPrivs") !== "1",
    writesRoot: await writes("/platform/x"),
    writesTmp: await writes("/tmp/x"),
  };
}
