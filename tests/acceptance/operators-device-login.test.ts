import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createHeadlessBrowser } from "@platform/oidc-provider/headless-browser";
import { runCtl } from "@platform/stack/run-ctl";
import { readEnvFile } from "@platform/stack/settings";
import { repositoryRoot } from "@platform/stack/stack";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, expect, it } from "vitest";
import { acceptanceStack } from "./stack.ts";

const { directory } = acceptanceStack;
const home = mkdtempSync(join(tmpdir(), "device-login-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const settings = { PLATFORMCTL_HOME: home };

/** Runs `platformctl login` in a separate process. Returns it with the address that it prints. */
async function startLogin() {
  const script = join(repositoryRoot, "tools/platformctl/bin/platformctl.js");
  const env = { ...process.env, STACK_DIR: directory, ...settings };
  const child = spawn(process.execPath, [script, "--json", "login"], { env });
  const output = text(child.stdout);
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  const exited = once(child, "exit").then(([code]) => code as number);
  const url = await eventually(() => /Open (\S+)/.exec(said)?.[1], { what: "the address to open" });
  return { url, exited, output, said: () => said };
}

it("signs in the person who confirms the code in a browser, and makes calls as that person", async () => {
  const login = await startLogin();
  expect(login.said()).toMatch(/confirm the code [A-Z0-9-]+\n/);
  const visitor = createHeadlessBrowser();
  const page = await visitor.openSignIn(login.url);
  const password = readEnvFile(join(directory, "operators.env")).OPERATOR_SUPPORT_PASSWORD ?? "";
  expect((await visitor.submit(page, { username: "support", password })).html).toContain("Signed in");
  expect(await login.exited).toBe(0);
  expect(JSON.parse(await login.output)).toMatchObject({ subject: "support", roles: ["support"] });
  expect(await runCtl(directory, ["whoami"], settings)).toMatchObject({ subject: "support", name: "Local support" });
});

it("prints one line and exits 1 when the code is refused in the browser", async () => {
  const login = await startLogin();
  const visitor = createHeadlessBrowser();
  await visitor.submit(await visitor.submit(await visitor.open(login.url)), { abort: "yes" });
  expect(await login.exited).toBe(1);
  expect(login.said().trim().split("\n").at(-1)).toBe("platformctl: the sign-in was cancelled in the browser");
});
