import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { addressVariable } from "@platform/contracts/service-addresses";
import { serviceNames } from "@platform/contracts/services";
import { readEnvFile } from "@platform/stack/settings";
import { repositoryRoot } from "@platform/stack/stack";
import { afterAll, beforeAll, expect, it } from "vitest";
import { acceptanceStack } from "./stack.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "platformctl-package-"));
const settings = readEnvFile(join(acceptanceStack.directory, "stack.env"));
const addresses = serviceNames.map((name) => addressVariable(name, "GRPC"));

/** Runs the installed package in a folder outside of any checkout. */
async function platformctl(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const script = join(folder, "node_modules/.bin/platformctl");
  const given = { PATH: process.env.PATH ?? "", HOME: home, ...env };
  return (await run(process.execPath, [script, ...args], { cwd: home, env: given })).stdout;
}

beforeAll(async () => {
  await run(process.execPath, [join(repositoryRoot, "tools/platformctl/build.ts")], { cwd: repositoryRoot });
  const pack = ["pack", join(repositoryRoot, "tools/platformctl/dist"), "--pack-destination", folder];
  await run("npm", [...pack, "--silent"], { cwd: folder });
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  // Without --prefix, npm would install into the nearest parent folder that has a package.json.
  const here = ["--prefix", folder, "--offline", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...here, join(folder, archive)], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("prints its version", async () => {
  expect((await platformctl(["--version"])).trim()).toMatch(/^\d+\.\d+\.\d+$/);
});

it("operates the platform of a context, with several in its configuration file", async () => {
  const token = { OPERATOR_TOKEN: settings.OPERATOR_TOKEN ?? "" };
  const certificate = Object.entries(acceptanceStack.certificateOf("operator")).map(
    ([name, path]) => `${name}=${path}`,
  );
  const here = addresses.map((name) => `${name}=${settings[name]}`);
  await platformctl(["contexts", "set", "here", ...here, ...certificate]);
  await platformctl(["contexts", "set", "nowhere", "IDENTITY_GRPC=127.0.0.1:1"]);
  const listed = JSON.parse(await platformctl(["clients", "list", "--context", "here"], token));
  expect(listed).toContainEqual(expect.objectContaining({ id: acceptanceStack.projectClientId }));
  await expect(platformctl(["clients", "list", "--context", "nowhere"], token)).rejects.toThrow(
    "dependency_unavailable",
  );
  await expect(platformctl(["clients", "list", "--context", "unknown"], token)).rejects.toThrow(
    "platformctl: usage: --context",
  );
  await platformctl(["contexts", "use", "here"]);
  expect(JSON.parse(await platformctl(["whoami", "--json"], token))).toMatchObject({ subject: "break-glass" });
  // Other tests create and change clients meanwhile.
  const idsOf = (clients: readonly { id: string }[]): string[] => clients.map(({ id }) => id);
  const again = JSON.parse(await platformctl(["clients", "list"], token));
  expect(idsOf(again)).toEqual(expect.arrayContaining(idsOf(listed)));
});

it("completes commands in a shell", async () => {
  expect(await platformctl(["completion", "words", "--", "operator-actions"])).toMatch(/^list\nverify\n/);
  expect(await platformctl(["completion", "bash"])).toContain("complete -o default -F _platformctl platformctl");
});
