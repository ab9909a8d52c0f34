import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const directory = fileURLToPath(new URL("../peers", import.meta.url));

/** Installs what the platform is compared with, when it is not there or not as the lock file says. */
export function ensurePeers(): void {
  const installed = `${directory}/node_modules/.package-lock.json`;
  const lock = `${directory}/package-lock.json`;
  if (existsSync(installed) && existsSync(lock) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  console.log("installing the peers");
  // Not `npm ci`: the lock file lacks the optional binaries of other platforms, which that refuses; the versions are those it names.
  execFileSync("npm", ["install", "--no-save", "--prefix", directory, "--no-audit", "--no-fund", "--loglevel=error"], {
    stdio: "inherit",
  });
}
