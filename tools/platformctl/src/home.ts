import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** File of the platforms that an operator knows, in the home. */
export const contextsFile = "config.yaml";

/** The folder where platformctl keeps who is signed in and which platforms it knows. Only its owner may read it. */
export type Home = {
  readonly directory: string;
  read(name: string): string | null;
  write(name: string, text: string): void;
  remove(name: string): void;
};

/** PLATFORMCTL_HOME; else `platformctl` in the folder of the local stack where there is one; else in the user's configuration. */
export function openHome(env: NodeJS.ProcessEnv, stackDirectory: string): Home {
  const directory =
    env.PLATFORMCTL_HOME ?? (existsSync(stackDirectory) ? join(stackDirectory, "platformctl") : userFolder(env));
  return {
    directory,
    read: (name) => {
      const path = join(directory, name);
      return existsSync(path) ? readFileSync(path, "utf8") : null;
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
