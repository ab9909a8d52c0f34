import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const bin = resolve(import.meta.dirname, "../bin/platformctl.js");

/** Runs a command in a folder. Resolves when it has ended, whether it succeeded or failed. */
const runIn = (cwd: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> =>
  new Promise((done) => {
    execFile(process.execPath, [bin, ...args], { cwd, env }, (_error, stdout, stderr) => done(stdout + stderr));
  });

test.each([
  ["without a context", []],
  ["with a context whose addresses lie elsewhere", ["--context", "production"]],
])("sends no operator token to the address in a hostile folder's .local, %s", async (_name, flags) => {
  const received: string[] = [];
  const attacker = createServer((socket) => {
    received.push("connection");
    socket.on("data", (bytes) => received.push(bytes.toString("latin1"))).on("error", () => {});
  });
  const port = await new Promise<number>((done) =>
    attacker.listen(0, "127.0.0.1", () => done((attacker.address() as { port: number }).port)),
  );
  const folder = mkdtempSync(join(tmpdir(), "hostile-"));
  mkdirSync(join(folder, ".local", "platformctl"), { recursive: true });
  mkdirSync(join(folder, "src"));
  const addresses = ["IDENTITY", "FILES", "NOTIFY", "EVENTS", "ADS"].map((name) => `${name}_GRPC=127.0.0.1:${port}\n`);
  writeFileSync(join(folder, ".local", "stack.env"), addresses.join(""));
  const home = join(folder, "home");
  mkdirSync(home);
  // The context has only one address. The other addresses must not come from the folder either.
  writeFileSync(join(home, "config.yaml"), "contexts:\n  production:\n    IDENTITY_GRPC: 127.0.0.1:1\n");
  const env = { PATH: process.env.PATH, PLATFORMCTL_HOME: home, OPERATOR_TOKEN: "secret-of-production" };
  try {
    for (const cwd of [folder, join(folder, "src")]) {
      await runIn(cwd, ["clients", "list", ...flags], env);
      await runIn(cwd, ["subscriptions", "list", "--client", "x", ...flags], env);
    }
    expect(received).toEqual([]);
  } finally {
    attacker.close();
  }
});
