import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defined } from "@platform/kit/process/fields";
import { expect, test } from "vitest";
import { repositoryRoot } from "./source-files.ts";

/** Creates a program that replaces apt-get or npm and waits until the other one has started too. */
const together = (own: string, other: string): string =>
  `touch ${own}; for _ in $(seq 200); do [ -e ${other} ] && exit 0; sleep 0.05; done; exit 1`;

type Programs = { readonly "apt-get"?: string; readonly npm?: string };

/**
 * Runs a copy of tools/setup.sh as if on a machine that has none of the programs. By default, apt-get and npm only record their calls.
 */
function setUp(rings: string | null, programs: Programs = {}, npmVersion = "11.16.0") {
  const root = mkdtempSync(join(tmpdir(), "setup-script-"));
  const bin = join(root, "bin");
  const log = join(root, "calls");
  for (const folder of ["tools", "bin", "node_modules"]) mkdirSync(join(root, folder));
  for (const name of ["package.json", "package-lock.json", "calls"]) writeFileSync(join(root, name), "");
  copyFileSync(join(repositoryRoot, "tools/setup.sh"), join(root, "tools/setup.sh"));
  for (const name of ["bash", "dirname", "env", "seq", "sleep", "touch"])
    symlinkSync(
      ["/usr/bin", "/bin"].map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name,
      join(bin, name),
    );
  symlinkSync(process.execPath, join(bin, "node"));
  const { npm = "exit 0", ...others } = programs;
  const asked = `if [ "$1" = --version ]; then echo ${npmVersion}; exit 0; fi`;
  const bodies = { "apt-get": "exit 0", npx: "exit 0", ...others, npm: `${asked}\n${npm}`, id: "echo 0" };
  for (const [name, body] of Object.entries(bodies)) {
    writeFileSync(join(bin, name), `#!${join(bin, "bash")}\ncd ${root}\necho "${name} $*" >> ${log}\n${body}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const { status, stderr } = spawnSync(join(bin, "bash"), [join(root, "tools/setup.sh"), "test"], {
    encoding: "utf8",
    env: { PATH: bin, ...defined({ RINGS: rings }) },
  });
  const installs = /^apt-get install (.*) -qq$/m.exec(readFileSync(log, "utf8"))?.[1]?.split(" ") ?? [];
  const packages = installs.filter((word) => !word.startsWith("-")).toSorted();
  const installer = /^(npm install|npx --yes npm@\S+ install)/m.exec(readFileSync(log, "utf8"))?.[1] ?? null;
  return { status, stderr, packages, installer, hasStamp: existsSync(join(root, "node_modules/.platform-installed")) };
}

/** Packages whose programs are not in /usr/sbin of this machine, which the script searches in addition to PATH. */
function missingHere(packages: readonly string[]): string[] {
  const programOf = (name: string): string => (name === "clamav-daemon" ? "clamd" : name);
  return packages.filter((name) => !existsSync(join("/usr/sbin", programOf(name))));
}

const every = ["chromium", "clamav-daemon", "curl", "nats-server", "redis-server"];

test.each([
  [null, every],
  ["", every],
  ["service", ["chromium", "clamav-daemon", "nats-server", "redis-server"]],
  ["acceptance", ["chromium", "curl", "redis-server"]],
  ["check,unit", []],
  ["unit,alone", ["redis-server"]],
  ["crawl", ["chromium", "redis-server"]],
  ["night", ["nats-server", "prometheus", "prometheus-alertmanager", "redis-server"]],
] as const)("installs only what the rings %j need", (rings, packages) => {
  const outcome = { status: 0, stderr: "", packages: missingHere(packages), installer: "npm install", hasStamp: true };
  expect(setUp(rings)).toEqual(outcome);
});

test("installs programs while npm fetches packages", () => {
  const { status } = setUp(null, { "apt-get": together("apt", "npm"), npm: together("npm", "apt") });
  expect(status).toBe(0);
});

test("fails and names the programs when apt-get fails", () => {
  const { status, stderr } = setUp("alone", { "apt-get": '[ "$1" = update ]' });
  expect([status, stderr]).toEqual([1, "apt-get could not install redis-server: see its errors above\n"]);
});

test("fails and remembers nothing when npm fails", () => {
  expect(setUp("alone", { npm: "exit 7" })).toMatchObject({ status: 1, hasStamp: false });
});

test.each([
  ["10.9.2", /^npx --yes npm@11\.\d+\.\d+ install$/],
  ["11.15.0", /^npx --yes npm@11\.\d+\.\d+ install$/],
  ["11.16.0", /^npm install$/],
  ["12.0.0", /^npm install$/],
])("installs with an npm that obeys allowScripts where the machine has npm %s", (version, installer) => {
  expect(setUp("check", {}, version).installer).toMatch(installer);
});
