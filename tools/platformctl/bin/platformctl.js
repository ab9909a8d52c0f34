#!/usr/bin/env node
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as module from "node:module";
import { fileURLToPath } from "node:url";

const ownNode = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url));

if (!process.features.typescript && existsSync(ownNode)) {
  // The command was started with the machine's own, older Node, for example through a link and not by npx. The project's Node runs it instead.
  const child = spawn(ownNode, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code) => process.exit(code ?? 1));
} else {
  // Commands run only for a short time, so caching the compiled sources halves their start-up time.
  module.enableCompileCache();
  await import("../src/main.ts");
}
