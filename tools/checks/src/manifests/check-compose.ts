import { parse } from "yaml";
import { readSource } from "../source-files.ts";
import { checkConfig, plainTextProblems, secretStandIns } from "./check-environment.ts";
import { fileBytesMax } from "./files-limits.ts";
import type { KubernetesObject } from "./render-overlay.ts";

type Service = {
  readonly image?: string;
  readonly build?: { readonly args: { readonly APP: string } };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly pids_limit?: number;
  readonly cpus?: number;
  readonly mem_limit?: string;
  readonly ports?: readonly string[];
  readonly deploy?: {
    readonly resources?: {
      readonly limits?: { readonly cpus?: string; readonly memory?: string; readonly pids?: number };
    };
  };
  readonly volumes?: readonly (string | { readonly source: string; readonly volume?: { readonly subpath?: string } })[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
};

type Compose = {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};

/**
 * Checks compose.yaml as far as possible without a container engine: the settings of each process, and that everything
 * it refers to exists.
 */
export async function checkCompose(text: string = readSource("compose.yaml")): Promise<string[]> {
  const { services } = parse(text, { merge: true }) as Compose;
  const problems = await Promise.all(
    Object.entries(services).map(([name, service]) => checkService(name, service, services)),
  );
  return [...problems.flat(), ...scannerProblems(services)];
}

/**
 * Requires that clamd accepts files of the maximum size, and that copies being classified are stored outside of memory.
 */
function scannerProblems(services: Compose["services"]): string[] {
  const found: string[] = [];
  const configuration = (services.clamav?.volumes ?? []).find(
    (volume) => typeof volume === "string" && volume.endsWith(":/etc/clamav/clamd.conf:ro"),
  );
  const text = typeof configuration === "string" ? readSource(configuration.split(":")[0] ?? "") : "";
  for (const name of ["StreamMaxLength", "MaxFileSize", "MaxScanSize"]) {
    const mebibytes = Number(new RegExp(`^${name} (\\d+)M$`, "m").exec(text)?.[1] ?? 0);
    if (mebibytes * 1024 * 1024 <= fileBytesMax) found.push(`clamav: ${name} does not take a file of 1 GiB`);
  }
  if (!/^AlertExceedsMax yes$/m.test(text)) found.push("clamav: a file that is scanned in part would pass");
  for (const [name, { build, environment, volumes = [] }] of Object.entries(services)) {
    if (build?.args.APP !== "files-svc") continue;
    const mounted = volumes.some((volume) => volume === `work:${environment?.WORK_DIRECTORY}`);
    if (!mounted) found.push(`${name}: WORK_DIRECTORY is no volume`);
  }
  return found.map((problem) => `compose.yaml: ${problem}`);
}

async function checkService(name: string, service: Service, services: Compose["services"]): Promise<string[]> {
  const missing = Object.keys(service.depends_on ?? {}).filter((other) => !(other in services));
  const problems = missing.map((other) => `waits for ${other}, which is not there`);
  if (!/:[^:/]+$/.test(service.image ?? "") || service.image?.endsWith(":latest") === true)
    problems.push(`names no version of its image (${service.image})`);
  for (const port of service.ports ?? [])
    if (!port.startsWith("127.0.0.1:")) problems.push(`port ${port} is reached from beyond this machine`);
  const app = service.build?.args.APP;
  if (app !== undefined) {
    const env = Object.fromEntries(
      Object.entries(service.environment ?? {}).map(([variable, value]) => [variable, substitute(variable, value)]),
    );
    if (service.read_only !== true) problems.push("may write to its root file system");
    if (service.cap_drop?.includes("ALL") !== true) problems.push("keeps capabilities");
    if (service.security_opt?.includes("no-new-privileges:true") !== true) problems.push("may gain privileges");
    // Docker Compose rejects the whole file if one of these values differs from its counterpart in
    // deploy.resources.limits, or has none there.
    for (const short of ["pids_limit", "cpus", "mem_limit"] as const)
      if (short in service) problems.push(`names ${short}, which belongs in deploy.resources.limits`);
    const expected = limitsInKubernetes(app, service);
    const { cpus, memory, pids } = service.deploy?.resources?.limits ?? {};
    if (pids === undefined) problems.push("has no limit of processes");
    if (cpus !== expected.cpu || memory !== expected.memory.replace(/i$/, ""))
      problems.push(
        `is limited to ${cpus} CPUs and ${memory}, in Kubernetes to ${expected.cpu} and ${expected.memory}`,
      );
    if ("OPERATOR_TOKEN" in env && service.command?.at(-1) !== "src/start-server.ts")
      problems.push("is given OPERATOR_TOKEN, which only a server needs");
    problems.push(...transportProblems(name, app, service, env));
    // Every process gets the addresses of all services, so a process need not read each of them.
    const found = await checkConfig({ name, image: app, ...(service.command ? { args: service.command } : {}) }, env);
    problems.push(...found.filter((problem) => !problem.endsWith("is read by nothing")));
    // Mailpit has no certificate, and a mail server that is not on loopback must offer STARTTLS unless its URL says otherwise.
    if (/^smtp:\/\/mailpit\b(?!.*[?&]tls=optional)/.test(env.SMTP_URL ?? ""))
      problems.push("SMTP_URL asks mailpit for STARTTLS, which it does not have: no mail would be sent");
    for (const [variable, value] of Object.entries(env)) {
      const host = /^(?:[a-z]+:\/\/(?:[^@/]*@)?)?([a-z][a-z0-9-]*)(?=:\d+)/.exec(value)?.[1];
      if (host !== undefined && host !== "localhost" && !(host in services))
        problems.push(`${variable} names ${host}, which is not there`);
    }
  }
  return problems.map((problem) => `compose.yaml: ${name}: ${problem}`);
}

/** Returns the limits of the same process in k8s/base. */
function limitsInKubernetes(app: string, { command = [] }: Service): { cpu: string; memory: string } {
  const [, file = "server"] = /^src\/start-([a-z]+)\.ts$/.exec(command.at(-1) ?? "") ?? [];
  const { spec } = parse(readSource(`k8s/base/${app}/${file}.yaml`)) as KubernetesObject;
  const { limits } = spec.template.spec.containers[0].resources;
  return { cpu: String(limits.cpu), memory: String(limits.memory) };
}

/** Requires that each process has only its own certificates, and that the gateway and the console have no secret that only services need. */
function transportProblems(
  name: string,
  app: string,
  { volumes = [] }: Service,
  env: Readonly<Record<string, string>>,
): string[] {
  const problems = plainTextProblems(env);
  const shown = volumes.flatMap((volume) => (typeof volume === "string" ? [] : [volume]));
  if (!shown.some(({ source, volume }) => source === "certificates" && volume?.subpath === app))
    problems.push(`is not shown the certificates of ${app}`);
  if (app.endsWith("-svc")) return problems;
  const secrets = ["MONGODB_URI", "SERVICE_KEY", "OPERATOR_TOKEN"].filter((variable) => variable in env);
  return [...problems, ...secrets.map((variable) => `${name} is given ${variable}, which it must not have`)];
}

/** Replaces `${NAME:-default}` by its default, and `${NAME:?…}` by a substitute for a secret. */
function substitute(variable: string, value: string): string {
  return String(value).replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_all, name: string, kind: string, rest: string) =>
    kind === "-" ? rest : (secretStandIns[variable] ?? secretStandIns[name] ?? ""),
  );
}
