import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { readTextFile } from "./read-text.ts";

/** File of the platforms that an operator knows, in the home. */
export const contextsFile = "config.yaml";

/** The folder in which platformctl stores the session and the known platforms. Only its owner may read it. */
export type Home = {
  readonly directory: string;
  read(name: string): string | null;
  write(name: string, text: string): void;
  remove(name: string): void;
};

/**
 * Opens the home: PLATFORMCTL_HOME, otherwise `platformctl` in the folder of the local stack if that exists, otherwise in the user's configuration.
 * @param stackDirectory folder of the local stack; null if none is known
 */
export function openHome(env: NodeJS.ProcessEnv, stackDirectory: string | null): Home {
  const isStack = stackDirectory !== null && existsSync(stackDirectory);
  const directory = env.PLATFORMCTL_HOME ?? (isStack ? join(stackDirectory, "platformctl") : userFolder(env));
  return {
    directory,
    read: (name) => {
      const path = join(directory, name);
      return existsSync(path) ? readTextFile(path, "PLATFORMCTL_HOME") : null;
    },
    write: (name, text) => {
      const path = join(directory, name);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, text, { mode: 0o600 });
    },
    remove: (name) => rmSync(join(directory, name), { force: true }),
  };
}

function userFolder(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CONFIG_HOME ?? join(homedir(), ".config"), "platformctl");
}
