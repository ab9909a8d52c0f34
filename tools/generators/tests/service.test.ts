import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePortBase } from "@platform/stack/ports";
import { eventually } from "@platform/test-kit/eventually";
import { copyRepository, type RepositoryCopy } from "@platform/test-kit/repository-copy";
import { afterAll, beforeAll, expect, test } from "vitest";

let copy: RepositoryCopy;
beforeAll(() => {
  copy = copyRepository();
  copy.run("nx", "generate", "@platform/tools:service", "payments", "--noun=invoice", "--no-interactive");
});
afterAll(() => copy?.close());

test("generates a service that type-checks with everything that names it", () => {
  copy.run("tsc", "--noEmit", "-p", "tsconfig.json");
});

const list = "libs/contracts/src/services.ts";
const git = (...args: string[]): string[] =>
  execFileSync("git", args, { cwd: copy.root, encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "");

test("changes only the list, the lock file, and files that are rendered from the list", () => {
  const changed = git("diff", "--name-only").filter((path) => path !== list && path !== "package-lock.json");
  const text = (path: string): string => readFileSync(join(copy.root, path), "utf8");
  expect(changed.filter((path) => !text(path).includes(`rendered from ${list}`))).toEqual([]);
  expect(text(list)).toContain("  payments: {");
});

test("generates a service that one process starts together with the others", () => {
  const script = `const { platformLayers } = await import("./tools/platform/src/layers.ts");
    console.log(platformLayers.flat().map(({ name }) => name).join());`;
  expect(copy.run("node", "--eval", script)).toContain("payments-svc,payments-svc-worker");
});

test.each(["imports", "messages", "manifests", "rendered-services"])(
  "generates a service that passes the check of %s",
  (check) => {
    copy.run("node", "tools/checks/src/nx/run-check.ts", check);
  },
);

test("generates a service that passes lint, the proto rules and the check of unused code", () => {
  copy.run("biome", "ci", "--colors=off", "apps", "tools", "libs/kit");
  copy.run("buf", "lint", "proto");
  copy.run("knip", "--no-config-hints", "--no-progress");
});

test("generates a service whose own tests pass", () => {
  for (const ring of ["unit", "service"]) copy.run("vitest", "run", "--project", ring, "apps/payments-svc/");
});

test("generates a service that the tests of manifests, releases and scripts know", () => {
  const files = ["manifests", "release-tags", "container-scripts", "service-defaults"].map(
    (name) => `tools/checks/src/${name}`,
  );
  copy.run("vitest", "run", "--project", "unit", "libs/contracts/src/services", ...files);
});

test("generates a service that Nx builds, tests and finds affected", () => {
  const projects = copy.run("nx", "show", "projects", "--affected", "--files=apps/payments-svc/src/config.ts");
  expect(projects).toContain("@platform/payments-svc");
  expect(projects).toContain("@platform/stack");
  expect(projects).not.toContain("@platform/ads-svc");
});

test("gives the service an owner and an entry in the lock file", () => {
  expect(readFileSync(join(copy.root, ".github/CODEOWNERS"), "utf8")).toMatch(
    /\/apps\/payments-svc\/ +@platform\/payments-team/,
  );
  const { packages } = JSON.parse(readFileSync(join(copy.root, "package-lock.json"), "utf8")) as { packages: object };
  expect(packages).toHaveProperty(["node_modules/@platform/payments-svc", "link"], true);
});

test("generates a service that runs in the local stack and is healthy to the gateway", async () => {
  const portBase = await freePortBase();
  const stack = spawn(join(copy.root, "node_modules/.bin/node"), ["tools/local/stack/src/main.ts"], {
    cwd: copy.root,
    env: { ...process.env, STACK_DIR: join(copy.root, ".local"), STACK_PORT_BASE: `${portBase}` },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(stack, "exit");
  const platformctl = (...args: string[]): string =>
    execFileSync(join(copy.root, "node_modules/.bin/node"), ["tools/platformctl/bin/platformctl.js", ...args], {
      cwd: copy.root,
      encoding: "utf8",
      env: { ...process.env, STACK_DIR: join(copy.root, ".local"), PLATFORMCTL_HOME: join(copy.root, ".local/ctl") },
    });
  let output = "";
  stack.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  try {
    await eventually(() => output.includes("READY ") || stack.exitCode !== null, { timeoutMs: 240_000, everyMs: 200 });
    expect(output).toContain("READY ");
    const response = await fetch(`http://127.0.0.1:${portBase}/api/v1/health`);
    const { data } = (await response.json()) as { data: { components: { name: string; status: string }[] } };
    expect(data.components).toContainEqual({ name: "payments-svc", status: "ok" });
    expect(existsSync(join(copy.root, ".local/logs/payments-svc-worker.log"))).toBe(true);
    // Operators' actions are requested at every service.
    expect(JSON.parse(platformctl("operator-actions", "list", "--json"))).toHaveProperty("items");
  } finally {
    stack.kill("SIGINT");
  }
  expect(await ended).toEqual([0, null]);
});

// This test must be the last, because it removes the entry again.
test("restores every other file once the entry is removed", () => {
  git("checkout", "--quiet", "--", list, "package-lock.json");
  copy.run("node", "tools/checks/src/rendered/render-services.ts");
  expect(git("diff", "--name-only")).toEqual([]);
});
