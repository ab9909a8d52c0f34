#!/usr/bin/env node
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as module from "node:module";
import { fileURLToPath } from "node:url";

const ownNode = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url));

if (!process.features.typescript && existsSync(ownNode)) {
  // Started on an older Node of the machine's own (a link called directly, not by npx): the project's Node runs the command.
  const child = spawn(ownNode, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code) => process.exit(code ?? 1));
} else {
  // Commands are short: keeping what was compiled halves their start.
  module.enableCompileCache();
  await import("../src/main.ts");
}
