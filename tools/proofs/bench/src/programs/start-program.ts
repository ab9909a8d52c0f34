import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tied } from "@platform/stack/child";
import { startOnFreePort, startTestProcess } from "@platform/test-kit/test-process";
import { type CoreSet, pin, type Server } from "../processes.ts";

type ProgramOptions = {
  readonly command: string;
  /** Returns the arguments for a port. */
  readonly args: (port: number) => readonly string[];
  /** Environment variables in addition to PORT. */
  readonly env?: Readonly<Record<string, string>>;
  readonly place?: CoreSet;
};

/** Starts a program on a free port of 127.0.0.1, and waits until it accepts connections. It ends together with the bench. */
export function startProgram({ command, args, env, place }: ProgramOptions): Promise<Server> {
  return startOnFreePort(async (port) => {
    const started = startTestProcess(...tied(command, args(port)), {
      env: { ...process.env, PORT: `${port}`, ...env },
    });
    try {
      await started.until(() => acceptsConnections(port), {
        what: `${command} accepts connections`,
        timeoutMs: 180_000,
      });
    } catch (error) {
      await started.end();
      throw error;
    }
    pin(started.pid, place ?? "measured");
    return { port, stop: () => started.end() };
  });
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** Returns the path of a file in the folder of the peers. */
export function peerFile(path: string): string {
  return fileURLToPath(new URL(`../../peers/${path}`, import.meta.url));
}

/**
 * Starts nginx with a configuration from the repository.
 * @param nginx path of its program
 * @param directory folder in which its temporary folder is created
 */
export function startNginx(
  nginx: string,
  configuration: string,
  { directory, values }: { readonly directory: string; readonly values: Readonly<Record<string, string>> },
): Promise<Server> {
  const own = mkdtempSync(join(directory, "nginx-"));
  return startProgram({
    command: nginx,
    args: (port) => {
      const template = readFileSync(peerFile(`nginx/${configuration}`), "utf8");
      const path = join(own, configuration);
      writeFileSync(path, filledIn(template, { ...values, DIRECTORY: own, PORT: `${port}` }));
      return ["-p", own, "-c", path, "-e", "stderr"];
    },
  });
}

/**
 * Replaces the names in braces, such as `{PORT}`, in a configuration. nginx's own variables contain no capital letters.
 * @throws Error for a name without a value
 */
export function filledIn(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([A-Z_]+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the configuration names ${name}, which has no value`);
    return value;
  });
}
