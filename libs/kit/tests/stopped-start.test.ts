import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { endChild } from "@platform/test-kit/test-process";
import { afterEach, expect, test } from "vitest";

let child: ChildProcess | null = null;
afterEach(async () => {
  if (child !== null) await endChild(child);
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "closes everything that has started if %s arrives during the start",
  async (signal) => {
    const started = spawn(process.execPath, [new URL("./starting-process.ts", import.meta.url).pathname], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    child = started;
    const exited = once(started, "exit");
    const lines: string[] = [];
    const output = createInterface(started.stdout);
    const isStarting = once(output, "line");
    output.on("line", (line) => lines.push(line));
    await isStarting;
    started.kill(signal);
    started.stdin.end("continue\n");
    expect(await exited).toEqual([0, null]);
    expect(lines).toEqual(["STARTING", "STARTED", "UNREADY", "CLOSED"]);
  },
);
