import { join } from "node:path";
import { processesOf, processName, serviceNames } from "@platform/contracts/services";
import { type Component, gatewayNodeArguments } from "./components.ts";
import type { StackPorts } from "./ports.ts";

/**
 * How many processes the platform's own parts run in: each in its own, or all in one. Stores, the provider sink and
 * second replicas always have their own.
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

/** Reads STACK_PROCESSES. Throws when it is neither `one` nor `each`, its default. */
export function readStackProcesses(env: NodeJS.ProcessEnv): StackProcesses {
  const value = env.STACK_PROCESSES || "each";
  if (value !== "one" && value !== "each") throw new Error(`STACK_PROCESSES must be one or each, not ${value}`);
  return value;
}

/** Returns whether this part runs in the one process of such a stack. */
export function isJoined(name: string): boolean {
  return joined.has(name) || name === "oidc-provider";
}

/** Log file of a line of the one process. Each part has a file of its own, as if it had a process of its own. */
export function logPathOf(directory: string, line: string): string {
  const [, service = ""] = /^\{"level":"[a-z]+","time":"[^"]+","service":"([a-z-]+)"/.exec(line) ?? [];
  return join(directory, "logs", `${isJoined(service) ? service : platformProcess}.log`);
}

/** The differences between the parts of the one process: their ports, keys and certificates. They share everything else. */
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
    nodeArguments: gatewayNodeArguments,
    env: {
      ...shared,
      ...Object.fromEntries(own),
      ...Object.fromEntries(
        Object.entries(provider).map(([name, value]) => [variableOf("oidc-provider", name), value]),
      ),
      OTEL_SERVICE_NAME: platformProcess,
    },
    // Callers start last, when everything they call is ready.
    readyUrls: parts.filter(({ name }) => name === "gateway" || name === "console").map(({ readyUrl }) => readyUrl),
  };
}

/** A variable of one part, in the environment of the process (`envOfParts` in the kit). */
function variableOf(part: string, name: string): string {
  return `${part.toUpperCase().replaceAll("-", "_")}__${name}`;
}
