import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { runCtl, runCtlText } from "@platform/stack/run-ctl";
import { repositoryRoot } from "@platform/stack/stack";
import { eventually } from "@platform/test-kit/eventually";
import { expect, it } from "vitest";
import { acceptanceStack, newClient } from "./stack.ts";

const { directory } = acceptanceStack;
const script = join(repositoryRoot, "tools/platformctl/bin/platformctl.js");
const env = { ...process.env, STACK_DIR: directory, PLATFORMCTL_HOME: join(directory, "stack-platformctl") };

/** Runs platformctl on a terminal, which `script` (util-linux) provides. */
function onTerminal(args: readonly string[]): { child: ChildProcess; shown: () => string; exited: Promise<number> } {
  const command = [process.execPath, script, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], { env });
  let shown = "";
  child.stdout.on("data", (chunk: Buffer) => {
    shown += chunk;
  });
  return { child, shown: () => shown.replaceAll("\r\n", "\n"), exited: once(child, "exit").then(([code]) => code) };
}

it("prints a table on a terminal, and one JSON document when piped or with --json", async () => {
  const { id } = await newClient();
  const show = ["credentials", "list", "--client", id];
  const terminal = onTerminal(show);
  expect(await terminal.exited).toBe(0);
  const [names = "", row = ""] = terminal.shown().split("\n");
  expect(names).toMatch(/^id +/);
  expect(names).toContain("scopes");
  expect(row).toMatch(/^[0-9a-f]{32} +/);
  const asked = onTerminal(["--json", ...show]);
  expect(await asked.exited).toBe(0);
  expect(JSON.parse(asked.shown())).toEqual(await runCtl(directory, show));
  expect(JSON.parse(await runCtlText(directory, show))).toHaveLength(1);
});

it("asks for a password on a terminal and does not show it", async () => {
  const email = `terminal-${Date.now()}@people.example`;
  const terminal = onTerminal(["--json", "accounts", "create", "--email", email, "--verified"]);
  await eventually(() => terminal.shown().includes("Password: "), { what: "the prompt" });
  terminal.child.stdin?.write("correct horse battery\r");
  expect(await terminal.exited).toBe(0);
  expect(terminal.shown()).not.toContain("horse");
  expect(JSON.parse(terminal.shown().split("\n").at(-2) ?? "")).toMatchObject({ id: expect.any(String) });
});

it("reads a password from standard input, and refuses to run without one", async () => {
  const create = ["accounts", "create", "--email", `stdin-${Date.now()}@people.example`, "--verified"];
  await expect(runCtl(directory, create)).rejects.toThrow(
    /^platformctl: usage: give --password-stdin, or run on a terminal$/,
  );
  expect(await runCtl(directory, [...create, "--password-stdin"], {}, "correct horse battery\n")).toMatchObject({
    id: expect.any(String),
  });
});

it("completes words in bash", async () => {
  const bash = `platformctl() { '${process.execPath}' '${script}' "$@"; }
source <(platformctl completion bash)
COMP_WORDS=(platformctl deliveries re); COMP_CWORD=2; _platformctl; echo "\${COMPREPLY[@]}"
COMP_WORDS=(platformctl deliveries retry --dr); COMP_CWORD=3; _platformctl; echo "\${COMPREPLY[@]}"`;
  const child = spawn("bash", ["-c", bash], { env, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    printed += chunk;
  });
  await once(child, "close");
  expect(printed).toBe("retry\n--dry-run\n");
});
