import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";
import { type Env, run } from "./commands.ts";
import { makeEmptyProject } from "./empty-project.ts";
import { expect } from "./steps.ts";

const versions = ["20", "22", "26"];

const program = `
import { createClient, webhooks, PlatformError } from "@platform/client";
import { createFakePlatform } from "@platform/client/testing";
import { thresholds } from "@platform/client/viewability";
import { fetchHandler } from "@platform/client/webhooks";

const { BASE_URL: baseUrl, PROJECT_CREDENTIAL: credential } = process.env;
const client = createClient({ baseUrl, credential });
const { data } = await client.call("identity.getProjectClient");
const verdict = await client.uploadFile(new Blob(["hello from " + process.version]).stream(), { contentType: "text/plain" });
const refused = await client.call("events.publishDomainEvent", { body: { type: "Not a name", schema_version: 1, data: {} } }).catch((error) => error);
if (!(refused instanceof PlatformError)) throw refused;
const platform = createFakePlatform();
const fake = createClient({ baseUrl: platform.baseUrl, credential: platform.credential, fetch: platform.fetch });
const secret = "a secret of at least thirty-two characters";
const registration = { name: "nightly.report", url: "https://shop.example.com/", secret };
const { data: operation } = await fake.call("events.registerScheduledOperation", { body: registration });
let called = 0;
const answer = await platform.callScheduled(operation.id, fetchHandler({ secret, handle: () => { called += 1; } }));
console.log(process.versions.node.split(".")[0], data.name, verdict.status, refused.violations[0].path, answer.status, called, thresholds.video.durationMs, typeof webhooks.verify);
`;

/** Packs the client and installs it in a folder together with more packages. */
export async function installClient(folder: string, packages: readonly string[]): Promise<void> {
  const client = join(repositoryRoot, "libs/client");
  const packed = await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: client });
  writeFileSync(join(folder, "program.js"), program);
  const install = [
    "install",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    `./${packed.trim()}`,
    "zod@4",
    ...packages,
  ];
  await run("npm", install, { cwd: folder });
}

/** Runs the program that uses the whole package. It first prints the version of Node. */
export async function runProgram(
  [command = "", ...args]: readonly string[],
  folder: string,
  env: Env,
  version = "\\d+",
): Promise<void> {
  const printed = await run(command, [...args, "program.js"], { cwd: folder, env });
  const expected = new RegExp(`^${version} Demo.* available /type 200 1 2000 function\\n$`, "i");
  expect(expected.test(printed), `it printed ${printed}`);
}

/** Checks that the packed package runs on every supported version of Node. */
export function runOnNodes(folder: string, env: Env) {
  return {
    "is packed and installed": async () => {
      makeEmptyProject(folder);
      const nodes = versions.map((version) => `node-${version}@npm:node@${version}`);
      await installClient(folder, nodes);
    },
    ...Object.fromEntries(
      versions.map((version) => [
        `runs on Node ${version}`,
        () => runProgram([join(folder, `node_modules/node-${version}/bin/node`)], folder, env, version),
      ]),
    ),
  };
}
