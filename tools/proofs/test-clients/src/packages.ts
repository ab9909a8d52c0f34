import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsProblems, type PackedFile } from "@platform/checks/package-contents";
import { repositoryRoot } from "@platform/stack/stack";
import { type Env, run } from "./commands.ts";
import { makeEmptyProject } from "./empty-project.ts";
import { expect } from "./steps.ts";

const nodes = ["20", "22", "26"];
const programs = { deno: "2.9.6", bun: "1.4.5", typescript: "5.9.3", rolldown: "1.2.19", "@types/bun": "1.3.5" };

/** Code of a backend. Its types are checked for every runtime. */
const backend = `
import { createClient, type Delivery, PlatformError, webhooks } from "@platform/client";
import { createFakePlatform } from "@platform/client/testing";
import { fetchHandler } from "@platform/client/webhooks";

const platform = createClient({ baseUrl: "https://platform.example", credential: "secret" });
const { data: event } = await platform.call("events.publishDomainEvent", { body: { type: "order.placed", schema_version: 1, data: { order: 1 } } });
const id: string = event.id;
const delivery: Delivery = await platform.waitForDelivery(id);
const handler: (request: Request) => Promise<Response> = fetchHandler({ secret: "s".repeat(32), handle: async (call) => { console.log(call.kind); } });
const fake = createFakePlatform();
// @ts-expect-error there is no such operation
await platform.call("events.unknown");
// @ts-expect-error a type is a text
await platform.call("events.publishDomainEvent", { body: { type: 7, schema_version: 1, data: {} } });
export { delivery, fake, handler, PlatformError, webhooks };
`;

/** Code of a web page. Its types are checked without those of servers, and it is bundled for browsers. */
const page = `
import { uploadFile } from "@platform/client/browser";
import { showPushes } from "@platform/client/service-worker";
import { observeAd, thresholds } from "@platform/client/viewability";

const milliseconds: number = thresholds.video.durationMs;
export { milliseconds, observeAd, showPushes, uploadFile };
`;

/** The script of a service worker, checked with the types of one. */
const worker = `
import { showPushes } from "@platform/client/service-worker";

declare const self: ServiceWorkerGlobalScope;
showPushes(self, { onVerification: (token: string) => fetch("/push-token", { method: "POST", body: token }) });
`;

type Packed = { readonly filename: string; readonly size: number; readonly files: readonly PackedFile[] };

/**
 * Tests both packages, as they would be published, in an empty project: their contents, their types, a bundle, and the
 * command line tool on each version of Node.
 */
export function installPackages(folder: string, env: Env, say: (text: string) => void) {
  const tool = join(repositoryRoot, "tools/platformctl");
  const packed = new Map<string, Packed>();
  const pack = async (name: string, from: string): Promise<void> => {
    const [one] = JSON.parse(
      await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: from }),
    ) as Packed[];
    if (one === undefined) throw new Error(`npm packed nothing of ${name}`);
    packed.set(name, one);
    const unpacked = one.files.reduce((sum, { size }) => sum + size, 0);
    const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(0)} kB`;
    say(`     ${name}: ${one.files.length} files, ${kilobytes(one.size)} packed, ${kilobytes(unpacked)} unpacked`);
    for (const { path, size } of one.files.toSorted((a, b) => b.size - a.size).slice(0, 8))
      say(`       ${kilobytes(size)} ${path}`);
    const problems = contentsProblems(name, one.files);
    expect(problems.length === 0, problems.join("\n"));
  };
  const check = async (name: string, options: object, files: readonly string[]): Promise<void> => {
    const usual = {
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      target: "es2022",
      skipLibCheck: false,
    };
    const project = `tsconfig.${name}.json`;
    writeFileSync(join(folder, project), JSON.stringify({ compilerOptions: { ...usual, ...options }, files }));
    await run(join(folder, "node_modules/.bin/tsc"), ["-p", project], { cwd: folder });
  };
  const onNode = (version: string, args: readonly string[]): Promise<string> =>
    run(
      join(folder, `node_modules/node-${version}/bin/node`),
      [join(folder, "node_modules/.bin/platformctl"), ...args],
      {
        cwd: folder,
        env: { ...env, PLATFORMCTL_HOME: join(folder, "home") },
      },
    );
  return {
    "@platform/client carries what it needs": async () => {
      makeEmptyProject(folder);
      await pack("@platform/client", join(repositoryRoot, "libs/client"));
    },
    "platformctl carries what it needs": async () => {
      await run(process.execPath, [join(tool, "build.ts")], { cwd: repositoryRoot });
      await pack("@platform/platformctl", join(tool, "dist"));
    },
    "both are installed into an empty project": async () => {
      writeFileSync(join(folder, "backend.ts"), backend);
      writeFileSync(join(folder, "page.ts"), page);
      writeFileSync(join(folder, "worker.ts"), worker);
      const aliases = nodes.flatMap((version) => [
        `node-${version}@npm:node@${version}`,
        `types-${version}@npm:@types/node@${version}`,
      ]);
      const tools = Object.entries(programs).map(([name, version]) => `${name}@${version}`);
      const archives = [...packed.values()].map(({ filename }) => `./${filename}`);
      const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
      await run("npm", ["install", ...quiet, ...archives, "zod@4", ...aliases, ...tools], { cwd: folder });
    },
    ...Object.fromEntries(
      nodes.flatMap((version) => [
        [
          `types are right on Node ${version}`,
          () => {
            // Types of other packages refer to Node's types by name, and must all find this version.
            const typeRoot = join(folder, "types", version);
            mkdirSync(typeRoot, { recursive: true });
            symlinkSync(join(folder, "node_modules", `types-${version}`), join(typeRoot, "node"));
            const options = { module: "nodenext", lib: ["es2023"], typeRoots: [typeRoot], types: ["node"] };
            return check(`node-${version}`, options, ["backend.ts"]);
          },
        ],
        [
          `platformctl operates the platform on Node ${version}`,
          async () => {
            expect(/^\d+\.\d+\.\d+\n$/.test(await onNode(version, ["--version"])), "it printed no version");
            const clients = JSON.parse(await onNode(version, ["clients", "list"])) as readonly {
              readonly id: string;
            }[];
            expect(
              clients.some(({ id }) => id === env.PROJECT_CLIENT_ID),
              "the demo project is not listed",
            );
          },
        ],
      ]),
    ),
    "types are right on Deno": () =>
      run(join(folder, "node_modules/.bin/deno"), ["check", "--node-modules-dir=manual", "backend.ts"], {
        cwd: folder,
      }),
    "types are right on Bun": () =>
      check("bun", { module: "preserve", moduleResolution: "bundler", lib: ["esnext"], types: ["bun"] }, [
        "backend.ts",
      ]),
    "types are right in a page": () =>
      check(
        "page",
        { module: "preserve", moduleResolution: "bundler", lib: ["es2022", "dom", "dom.iterable"], types: [] },
        ["page.ts"],
      ),
    "types are right in a service worker": () =>
      check("worker", { module: "preserve", moduleResolution: "bundler", lib: ["es2022", "webworker"], types: [] }, [
        "worker.ts",
      ]),
    "a page's bundle needs nothing of a server": async () => {
      const bundle = ["page.ts", "--platform", "browser", "--format", "esm", "--file", "page.js", "--minify"];
      await run(join(folder, "node_modules/.bin/rolldown"), bundle, { cwd: folder });
      const text = await run("cat", ["page.js"], { cwd: folder });
      expect(!/from\s*["']|require\(|node:/.test(text), "it imports something");
      say(`     the page's bundle has ${(text.length / 1_000).toFixed(1)} kB`);
    },
  };
}
