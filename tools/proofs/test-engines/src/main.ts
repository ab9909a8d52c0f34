import { join } from "node:path";
import { type Counts, reportTotal, runFiles } from "@platform/checks/nx/run-ring";
import { startLog } from "@platform/checks/nx/start-log";
import { repositoryRoot } from "@platform/stack/stack";
import { startTestS3 } from "@platform/test-kit/s3";
import { applyManifests } from "./apply-manifests.ts";
import { runImages } from "./images/run-images.ts";
import { runLocalImage } from "./images/run-local-image.ts";
import { install, missingRequirements } from "./install.ts";
import { runLoad } from "./load/run-load.ts";
import { runRegistry } from "./registry/run-registry.ts";

// Commands: make test-engines [ONLY=redis,nats,oidc,s3,load,kubernetes,images,local,registry] tests the platform on the
// systems that its users run. ONLY=load [FOR=60] [STAND_IN=silent] tests systems and providers that misbehave for the
// given number of seconds under load: all of them, or those whose name contains the word.
const inGateway = (name: string): string => `apps/gateway/tests/${name}.test.ts`;
const inFiles = (name: string): string => `apps/files-svc/tests/${name}.test.ts`;
const outside = (name: string): string => `tests/acceptance/${name}.test.ts`;
type Rings = Readonly<Record<string, readonly string[]>>;
const redis: Rings = {
  service: [
    "redis-cluster",
    "redis-connection",
    "redis-refusal",
    "redis-sentinel",
    "redis-under-load",
    "lost-redis",
  ].map(inGateway),
};
const nats: Rings = {
  service: ["relay-servers", "relay-refusals"].map((name) => `apps/events-svc/tests/${name}.test.ts`),
};
const oidc: Rings = {
  unit: ["apps/console/src/sign-in/client-authentication.test.ts"],
  service: ["apps/identity-svc/tests/operator-sign-in.test.ts"],
};
const s3: Rings = {
  service: [
    ...["blob-store", "store-refusals", "orphan-blobs", "s3-restart", "upload-memory", "inspector-memory"].map(inFiles),
    "libs/backup/tests/backup-series.test.ts",
  ],
  acceptance: ["files-flow", "files-streaming"].map(outside),
  alone: [outside("files-memory")],
};
const parts = ["redis", "nats", "oidc", "s3", "load", "kubernetes", "images", "local", "registry"];
const chosen = process.env.ONLY === undefined || process.env.ONLY === "" ? parts : process.env.ONLY.split(",");
const unknown = chosen.filter((part) => !parts.includes(part));
if (unknown.length > 0) {
  console.error(`ONLY takes ${parts.join(", ")}, and not ${unknown.join(", ")}`);
  process.exit(1);
}
const missing = missingRequirements(chosen);
if (missing.length > 0) {
  console.error(`make test-engines lacks\n${missing.map((one) => `  ${one}`).join("\n")}`);
  process.exit(1);
}

const say = startLog();

const installation = join(repositoryRoot, ".local/test-engines");
const programs = await install(installation, chosen, say);
const all: Counts[] = [];
const add = (part: string, counts: Counts): void => {
  say(`${part}: ${counts.passed} passed, ${counts.failed} failed`);
  all.push(counts);
};
const runRings = async (part: string, rings: Rings, env: NodeJS.ProcessEnv = process.env): Promise<void> => {
  for (const [ring, files] of Object.entries(rings)) add(`${part}, ${ring}`, await runFiles(ring, files, env));
};

if (chosen.includes("redis")) await runRings("redis", redis, { REDIS_LOAD_SECONDS: "60", ...process.env });
if (chosen.includes("nats")) await runRings("nats", nats);
if (chosen.includes("oidc")) await runRings("oidc", oidc);
if (chosen.includes("s3") || chosen.includes("load")) process.env.TEST_S3_SERVER = programs.versitygw;
if (chosen.includes("s3")) {
  // Each service test starts its own server; the other tests are given this one.
  const server = await startTestS3();
  await runRings("s3", s3, { ...process.env, ...server.env });
  await server.close();
}
if (chosen.includes("load")) add("load", await runLoad(Number(process.env.FOR ?? 20), process.env.STAND_IN ?? "", say));
if (chosen.includes("kubernetes")) add("kubernetes", await applyManifests(programs, say));
if (chosen.includes("images")) add("images", await runImages(installation, say));
if (chosen.includes("local")) add("local", await runLocalImage(installation, say));
if (chosen.includes("registry")) add("registry", await runRegistry(installation, programs.bin, say));
reportTotal(all);
