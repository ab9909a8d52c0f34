import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { repositoryRoot } from "@platform/stack/stack";

/** Folder that is listed in .gitignore. */
const cache = join(repositoryRoot, ".local/bench-peers");
const springSource = fileURLToPath(new URL("../../peers/spring-gateway", import.meta.url));

/** Peers that are written in Go, each as a version of the command of a module. */
const goPrograms = {
  caddy: { module: "github.com/caddyserver/caddy/v2/cmd/caddy", version: "v2.11.9" },
  tusd: { module: "github.com/tus/tusd/v2/cmd/tusd", version: "v2.9.1" },
  "nats-server": { module: "github.com/nats-io/nats-server/v2", version: "v2.15.3" },
} as const;

/**
 * Installs a program with `go install`, unless the cache has this version.
 * @returns its path
 * @throws Error with the reason if Go is missing or fails
 */
export function installGoProgram(name: keyof typeof goPrograms): string {
  const { module, version } = goPrograms[name];
  const directory = join(cache, `${name}-${version}`);
  const path = join(directory, name);
  if (existsSync(path)) return path;
  mkdirSync(directory, { recursive: true });
  install("go", ["install", `${module}@${version}`], { GOBIN: directory });
  return path;
}

/**
 * Finds nginx, or installs Debian's package if this needs no password.
 * @returns its path
 * @throws Error if it is missing and cannot be installed
 */
export function installNginx(): string {
  const find = (): string | undefined =>
    [...(process.env.PATH ?? "").split(":"), "/usr/sbin"]
      .map((directory) => join(directory, "nginx"))
      .find((path) => existsSync(path));
  const found = find();
  if (found !== undefined) return found;
  if (process.getuid?.() !== 0) throw new Error("nginx is not installed (apt-get install nginx)");
  // At run level 1 the installation of the package does not start a system service.
  const env = { DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  install("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "nginx"], env);
  return find() ?? "nginx";
}

/**
 * Builds the Spring Cloud Gateway of this folder with Maven, unless the cache has a build of the same sources.
 * @returns path of the jar
 * @throws Error with the reason if Maven is missing or fails
 */
export function installSpringGateway(): string {
  const sources = ["pom.xml", "src/main/java/bench/Gateway.java", "src/main/resources/application.yaml"];
  const hash = createHash("sha256");
  for (const source of sources) hash.update(readFileSync(join(springSource, source)));
  const target = join(cache, `spring-gateway-${hash.digest("hex").slice(0, 8)}`);
  const jar = join(target, "spring-gateway.jar");
  if (existsSync(jar)) return jar;
  install("mvn", ["-q", "-B", "-f", join(springSource, "pom.xml"), `-Dbench.target=${target}`, "package"], {});
  return jar;
}

function install(command: string, args: readonly string[], env: Readonly<Record<string, string>>): void {
  console.log(`    ${[command, ...args].join(" ")}`);
  try {
    execFileSync(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${command} could not install it: ${failureOf(error)}`, { cause: error });
  }
}

/**
 * Returns the last line that a failed program printed, without network addresses, or the reason why it could not be started.
 */
export function failureOf(error: unknown): string {
  const { code, stderr, stdout, message } = error as {
    code?: string;
    stderr?: Buffer;
    stdout?: Buffer;
    message: string;
  };
  if (code === "ENOENT") return "the command is not installed";
  const lines = `${stdout ?? ""}\n${stderr ?? ""}`.split("\n").filter((line) => line.trim() !== "");
  return (lines.at(-1) ?? message).trim().replaceAll(/https?:\/\/\S+/g, "…");
}
