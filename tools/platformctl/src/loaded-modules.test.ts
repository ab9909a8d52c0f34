import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createCtl } from "./ctl.ts";
import { createProgram } from "./program.ts";

const script = fileURLToPath(new URL("../bin/platformctl.js", import.meta.url));

/** A module that prints the url of every module that is loaded after it, when the process ends. */
const reporter = `
import { registerHooks } from "node:module";
const urls = [];
registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
process.on("exit", () => process.stderr.write("loaded " + JSON.stringify(urls)));
`;

/** Returns the URLs of the modules that a command line loads. */
function loadedBy(...args: readonly string[]): string[] {
  const importing = `data:text/javascript,${encodeURIComponent(reporter)}`;
  const { stderr } = spawnSync(process.execPath, ["--import", importing, script, ...args], {
    encoding: "utf8",
    env: { ...process.env, STACK_DIR: "/nonexistent", PLATFORMCTL_HOME: "/nonexistent" },
  });
  const [, urls = "[]"] = /loaded (\[.*\])$/s.exec(stderr) ?? [];
  return JSON.parse(urls) as string[];
}

const librariesOf = (urls: readonly string[]): string[] => [
  ...new Set(urls.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [])),
];

test("loads only commander for --help", () => {
  const urls = loadedBy("--help");
  expect(librariesOf(urls)).toEqual(["commander"]);
  expect(urls.filter((url) => url.includes("/commands/"))).toEqual([]);
});

test("loads for a command only the modules of its group, and no YAML, schemas, health check or OpenID", () => {
  const urls = loadedBy("clients", "show", "--client", "x");
  expect(urls.filter((url) => url.includes("/src/commands/")).map((url) => url.replace(/.*\/commands\//, ""))).toEqual([
    "identity/clients.ts",
    "identity/erasures.ts",
  ]);
  expect(librariesOf(urls)).toEqual(expect.arrayContaining(["@grpc/grpc-js", "@bufbuild/protobuf"]));
  for (const library of [
    "zod",
    "yaml",
    "grpc-health-check",
    "protobufjs",
    "openid-client",
    "pino",
    "@modelcontextprotocol/sdk",
  ])
    expect(librariesOf(urls)).not.toContain(library);
});

test("prints the same help whether the commands are loaded or not", async () => {
  const ctl = await createCtl({ STACK_DIR: "/nonexistent" }, () => ({}));
  const unloaded = await createProgram(() => Promise.reject(new Error("nothing needs it")), ["--help"]);
  const loaded = await createProgram(() => ctl);
  expect(unloaded.helpInformation()).toBe(loaded.helpInformation());
});

test("opens no dependency for a command that does not exist", async () => {
  const program = await createProgram(() => Promise.reject(new Error("nothing needs it")), ["clinets", "list"]);
  await expect(program.parseAsync(["clinets", "list"], { from: "user" })).rejects.toThrow(/unknown command 'clinets'/);
});
