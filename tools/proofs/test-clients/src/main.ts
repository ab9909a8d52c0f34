import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reportTotal } from "@platform/checks/nx/run-ring";
import { operationList } from "@platform/contracts/operations";
import { freePortBase } from "@platform/stack/ports";
import { runCtl } from "@platform/stack/run-ctl";
import { readEnvFile } from "@platform/stack/settings";
import { repositoryRoot, startStack } from "@platform/stack/stack";
import { type Env, missingPrograms } from "./commands.ts";
import { freshFolder, type Generator, generators, textOf } from "./generators.ts";
import { readEventsFromGo, readEventsFromPython } from "./grpc.ts";
import { guideNames, runGuide } from "./guides.ts";
import { runOnNodes } from "./nodes.ts";
import { installPackages } from "./packages.ts";
import { runPrinted } from "./printed-commands.ts";
import { runOnRuntimes } from "./runtimes.ts";
import { runSchemathesis } from "./schemathesis.ts";
import { createSteps, expect } from "./steps.ts";
import { verifyWithOfficialLibraries } from "./webhooks.ts";

// Command: make test-clients [ONLY=ogen,grpc-python,…]
const missing = missingPrograms();
if (missing.length > 0) {
  console.error(`make test-clients lacks\n${missing.map((one) => `  ${one}`).join("\n")}`);
  process.exit(1);
}
const openapi = join(repositoryRoot, "apps/gateway/openapi.json");
const clients = join(repositoryRoot, "tools/proofs/test-clients/clients");
const work = join(repositoryRoot, ".local/test-clients");
const others = ["grpc-python", "grpc-go", "guides", "webhooks", "packages", "nodes", "runtimes", "schemathesis"];
const chosen = process.env.ONLY?.split(",") ?? [...generators.map(({ name }) => name), ...others];
const unknown = chosen.filter((name) => ![...generators.map((one) => one.name), ...others].includes(name));
if (unknown.length > 0) {
  console.error(`ONLY does not take ${unknown.join(", ")}`);
  process.exit(1);
}

const startedAtMs = performance.now();
const say = (text: string): void =>
  console.log(`[${((performance.now() - startedAtMs) / 1000).toFixed(0).padStart(4)} s] ${text}`);
const steps = createSteps(say);
mkdirSync(work, { recursive: true });
// The folder lies outside the repository, whose packages would otherwise hide a dependency that a package forgot to
// declare.
const outside = mkdtempSync(join(tmpdir(), "platform-clients-"));
const directory = join(work, "stack");
rmSync(directory, { recursive: true, force: true });
const stack = await startStack({ directory, portBase: await freePortBase() });
try {
  await runCtl(directory, ["demo", "seed"]);
  const demo = readEnvFile(join(directory, "demo.env"));
  const env: Env = { ...demo, BASE_URL: stack.baseUrl };
  for (const generator of generators) if (chosen.includes(generator.name)) await tryGenerator(generator, env);
  const { EVENTS_GRPC } = stack.settings;
  for (const [name, read] of [["grpc-python", readEventsFromPython] as const, ["grpc-go", readEventsFromGo] as const]) {
    if (!chosen.includes(name)) continue;
    const issue = ["consumers", "issue", "--client", demo.PROJECT_CLIENT_ID ?? "", "--name", name];
    const { token } = (await runCtl(directory, issue)) as { token: string };
    await steps.group(name, read(freshFolder(work, clients, name), { ...env, EVENTS_GRPC, CONSUMER_TOKEN: token }));
  }
  if (chosen.includes("guides")) {
    const addresses = {
      "http://127.0.0.1:8080": stack.baseUrl,
      "http://127.0.0.1:8025": stack.settings.SINK_URL ?? "",
    };
    for (const name of guideNames) {
      for (const language of ["Python", "Go"] as const) {
        const runs = () => runGuide(name, language, directory, addresses);
        await steps.group(`guide ${name}`, { [`runs as printed in ${language}`]: runs });
      }
    }
  }
  if (chosen.includes("webhooks")) {
    const folderOf = (language: string): string => freshFolder(work, clients, `webhooks-${language}`);
    const folders = { npm: folderOf("npm"), python: folderOf("python"), go: folderOf("go") };
    await steps.group("webhooks", verifyWithOfficialLibraries(folders, directory, env));
  }
  if (chosen.includes("packages")) {
    const operator = { ...env, STACK_DIR: directory };
    await steps.group("packages", installPackages(join(outside, "packages"), operator, say));
  }
  if (chosen.includes("nodes")) await steps.group("@platform/client", runOnNodes(join(outside, "nodes"), env));
  if (chosen.includes("runtimes")) {
    await steps.group("@platform/client", runOnRuntimes(join(outside, "runtimes"), env));
  }
  if (chosen.includes("schemathesis")) {
    await steps.group("schemathesis", runSchemathesis(join(work, "schemathesis"), openapi, env));
  }
} finally {
  await stack.stop();
  rmSync(outside, { recursive: true, force: true });
}
reportTotal([steps.counts()]);

async function tryGenerator(generator: Generator, env: Env): Promise<void> {
  const folder = freshFolder(work, clients, generator.name);
  await steps.group(generator.name, {
    "generates a client by the printed commands": () => runPrinted(folder, "Generate", env),
    "has all operations": async () => checkOperations(generator, folder),
    "names at most 200 types, none by a number": async () => checkTypes(generator, folder),
    compiles: () => runPrinted(folder, "Compile", env),
    "reads the client, publishes once, uploads, reads a typed 422": async () => {
      const printed = await runPrinted(folder, "Run", env);
      const uuid = "[0-9a-f-]{36}";
      const pattern = new RegExp(`^client Demo.*\\nevent ${uuid}\\nfile ${uuid}\\nrefused [a-zA-Z_]+`, "i");
      expect(pattern.test(printed), `it printed\n${printed}`);
    },
  });
}

/** Converts `events.publishDomainEvent` to `EventsPublishDomainEvent`. */
function pascalCase(id: string): string {
  return id.replace(/(?:^|\.)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function checkOperations({ operations }: Generator, folder: string): void {
  const text = textOf(folder, operations.files);
  const absent = operationList.filter(({ id }) => !text.includes(operations.name(pascalCase(id))));
  expect(absent.length === 0, `without ${absent.map(({ id }) => id).join(", ")}`);
}

/**
 * Checks the generated types. Types that belong to one operation, such as its possible responses, are not schemas of the document and do not count.
 */
function checkTypes({ name, types }: Generator, folder: string): void {
  const own = operationList.map(({ id }) => pascalCase(id));
  const declared = [...textOf(folder, types.files).matchAll(types.pattern)].map(([, type = ""]) => type);
  const found = [...new Set(declared)];
  const shared = found.filter((type) => !own.some((operation) => type.startsWith(operation)));
  // A bit width such as in Go's Int64 is not a number that distinguishes two types.
  const numbered = found.filter((type) => /\d$/.test(type) && !/(Int|Float)(32|64)$/.test(type));
  say(`     ${name}: ${shared.length} types, and ${found.length - shared.length} of operations' own`);
  expect(shared.length > 40 && shared.length <= 200, `${shared.length} types`);
  expect(numbered.length === 0, `named by a number: ${numbered.join(", ")}`);
}
