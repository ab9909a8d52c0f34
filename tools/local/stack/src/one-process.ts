import { join } from "node:path";
import { processesOf, processName, serviceNames } from "@platform/contracts/services";
import { type Component, oneProcessNodeArguments } from "./components.ts";
import type { StackPorts } from "./ports.ts";

/**
 * Whether each part of the platform has a process of its own, or all parts share one. Stores, the provider sink and second replicas always have processes of
 * their own.
 */
export type StackProcesses = "each" | "one";

/** Name of the one process. */
export const platformProcess = "platform";

/** The parts that run in the one process, except the identity provider: the first process of each app. */
const joined: ReadonlySet<string> = new Set([
  "gateway",
  "console",
  ...serviceNames.flatMap((name) => processesOf(name).map((process) => processName(name, process))),
]);

/** Reads STACK_PROCESSES. Throws if it is neither `one` nor `each`, which is the default. */
export function readStackProcesses(env: NodeJS.ProcessEnv): StackProcesses {
  const value = env.STACK_PROCESSES || "each";
  if (value !== "one" && value !== "each") throw new Error(`STACK_PROCESSES must be one or each, not ${value}`);
  return value;
}

/** Returns whether this part runs in the one process of such a stack. */
export function isJoined(name: string): boolean {
  return joined.has(name) || name === "oidc-provider";
}

/** Returns the log file for a line of the one process. Each part has a log file, as if it had a process of its own. */
export function logPathOf(directory: string, line: string): string {
  const [, service = ""] = /^\{"level":"[a-z]+","time":"[^"]+","service":"([a-z-]+)"/.exec(line) ?? [];
  return join(directory, "logs", `${isJoined(service) ? service : platformProcess}.log`);
}

/** Settings in which the parts of the one process differ: their ports, keys and certificates. They share all other settings. */
type Joined = Pick<Component, "name" | "entry" | "env"> & {
  readonly nodeArguments: readonly string[];
  readonly readyUrls: readonly string[];
};

/**
 * Joins the parts of a stack into one process (tools/local/stack/src/start-platform.ts).
 * @param componentEnv environment of one part, which overrides its own
 * @param people file with the passwords of the operators
 */
export function joinComponents(
  components: readonly Component[],
  componentEnv: (name: string) => Readonly<Record<string, string>>,
  { ports, people }: { readonly ports: StackPorts; readonly people: string },
): Joined {
  const parts = components.filter(({ name }) => joined.has(name));
  const envs = parts.map(({ name, env }) => ({ name, env: { ...env, ...componentEnv(name) } }));
  const [first, ...others] = envs;
  const isShared = ([name, value]: [string, string]): boolean => others.every(({ env }) => env[name] === value);
  const shared = Object.fromEntries(Object.entries(first?.env ?? {}).filter(isShared));
  const own = envs.flatMap(({ name, env }) =>
    Object.entries(env)
      .filter(([variable]) => !(variable in shared))
      .map(([variable, value]) => [variableOf(name, variable), value]),
  );
  const provider = {
    PORT: `${ports.oidcProvider}`,
    PEOPLE: people,
    CONSOLE_REDIRECT_URI: `http://127.0.0.1:${ports.console}/sign-in/callback`,
  };
  return {
    name: platformProcess,
    entry: join("tools", "local", "stack", "src", "start-platform.ts"),
    nodeArguments: oneProcessNodeArguments,
    env: {
      ...shared,
      ...Object.fromEntries(own),
      ...Object.fromEntries(
        Object.entries(provider).map(([name, value]) => [variableOf("oidc-provider", name), value]),
      ),
      OTEL_SERVICE_NAME: platformProcess,
    },
    // Parts that call others start last, when those are ready.
    readyUrls: parts.filter(({ name }) => name === "gateway" || name === "console").map(({ readyUrl }) => readyUrl),
  };
}

/** Returns the name of a part's variable in the environment of the process (`envOfParts` in the kit). */
function variableOf(part: string, name: string): string {
  return `${part.toUpperCase().replaceAll("-", "_")}__${name}`;
}
