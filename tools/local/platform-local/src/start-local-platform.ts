import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCtl } from "@platform/stack/open-ctl";
import { readEnvFile } from "@platform/stack/settings";
import { type Stack, startStack } from "@platform/stack/stack";
import { applySeed } from "./apply-seed.ts";
import { readSeedFile, type Seed } from "./seed-file.ts";

/** Path at which a seed can be mounted into the container. */
const mountedSeed = "/seed.yaml";

/** Settings of a platform in a container. */
export type LocalPlatformOptions = {
  /** Folder of its state. */
  readonly directory: string;
  readonly portBase: number;
  /** The address at which clients reach it, with which every returned URL starts. */
  readonly publicBaseUrl: string;
  readonly seed: Seed | null;
  readonly onLine: (name: string, line: string) => void;
  readonly onUnexpectedExit: (name: string, how: string) => void;
};

/**
 * Reads the settings from the environment. @throws Error of one line for an invalid value, or a seed that cannot be
 * read
 */
export function localPlatformOptions(
  env: NodeJS.ProcessEnv,
): Pick<LocalPlatformOptions, "directory" | "portBase" | "publicBaseUrl" | "seed"> {
  const portBase = Number(env.STACK_PORT_BASE || 8080);
  if (!Number.isInteger(portBase) || portBase < 1_100 || portBase > 65_000)
    throw new Error(`STACK_PORT_BASE must be a whole number from 1100 to 65000, not ${env.STACK_PORT_BASE}`);
  const publicBaseUrl = env.PUBLIC_BASE_URL || `http://127.0.0.1:${portBase}`;
  if (!/^https?:$/.test(URL.parse(publicBaseUrl)?.protocol ?? ""))
    throw new Error(`PUBLIC_BASE_URL must be an http or https URL, not ${publicBaseUrl}`);
  const seedPath = env.SEED_FILE || (existsSync(mountedSeed) ? mountedSeed : null);
  return {
    directory: env.STACK_DIR || "/data",
    portBase,
    publicBaseUrl: publicBaseUrl.replace(/\/+$/, ""),
    seed: seedPath === null ? null : readSeedFile(seedPath),
  };
}

/** A platform that is ready, and the facts that its user needs, which are printed as one line. */
export type LocalPlatform = { readonly stack: Stack; readonly facts: object };

/** Returns the path of the file with the printed line. The file exists while the platform serves. */
export const readyFile = (directory: string): string => join(directory, "ready.json");

/**
 * Starts the whole platform in one process, together with its stores and the provider sink, and creates the demo
 * project and the resources of the seed. The gateway and the sink's HTTP listen on every address, because a container's
 * network is reached from outside; everything else listens on loopback.
 */
export async function startLocalPlatform(options: LocalPlatformOptions): Promise<LocalPlatform> {
  const { directory, portBase, publicBaseUrl, seed, onLine, onUnexpectedExit } = options;
  rmSync(readyFile(directory), { force: true });
  const everywhere: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    gateway: { HOST: "0.0.0.0" },
    "provider-sink": { SINK_HTTP_HOST: "0.0.0.0" },
  };
  const stack = await startStack({
    directory,
    portBase,
    processes: "one",
    env: { PUBLIC_BASE_URL: publicBaseUrl },
    componentEnv: (name) => everywhere[name] ?? {},
    onLine,
    onUnexpectedExit,
  });
  const ctl = openCtl(directory, { PUBLIC_BASE_URL: publicBaseUrl });
  try {
    await ctl.run(["demo", "seed"]);
    const clients = seed === null ? [] : await applySeed(ctl, seed, join(directory, "seeded.json"));
    const demo = readEnvFile(join(directory, "demo.env"));
    const facts = {
      base_url: publicBaseUrl,
      project_client_id: demo.PROJECT_CLIENT_ID,
      credential: demo.PROJECT_CREDENTIAL,
      sink_url: `http://127.0.0.1:${stack.ports.sinkHttp}`,
      clients,
      env: demo,
    };
    writeFileSync(readyFile(directory), `${JSON.stringify(facts)}\n`, { mode: 0o600 });
    return { stack, facts };
  } catch (error) {
    await stack.stop();
    throw error;
  } finally {
    ctl.close();
  }
}
