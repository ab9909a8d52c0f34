import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const directory = fileURLToPath(new URL("../peers", import.meta.url));

/** Installs the products that the platform is compared with, if they are missing or differ from the lock file. */
export function ensurePeers(): void {
  const installed = `${directory}/node_modules/.package-lock.json`;
  const lock = `${directory}/package-lock.json`;
  if (existsSync(installed) && existsSync(lock) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  console.log("installing the peers");
  // Does not use `npm ci`, which refuses the lock file because it lacks the optional binaries of other platforms. The
  // versions are those of the lock file.
  execFileSync("npm", ["install", "--no-save", "--prefix", directory, "--no-audit", "--no-fund", "--loglevel=error"], {
    stdio: "inherit",
  });
}
