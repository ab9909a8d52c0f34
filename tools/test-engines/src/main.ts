import { join } from "node:path";
import { type Counts, reportTotal, runFiles } from "@platform/checks/nx/run-ring";
import { repositoryRoot } from "@platform/stack/stack";
import { applyManifests } from "./apply-manifests.ts";
import { install, missingRequirements } from "./install.ts";

// make test-engines [ONLY=redis,nats,s3,kubernetes]: the platform on engines as its users run them.
const ringFiles: Readonly<Record<string, readonly string[]>> = {
  redis: [
    "apps/gateway/tests/redis-cluster.test.ts",
    "apps/gateway/tests/redis-connection.test.ts",
    "apps/gateway/tests/redis-sentinel.test.ts",
  ],
  nats: ["apps/events-svc/tests/relay-servers.test.ts"],
  s3: [
    "apps/files-svc/tests/blob-store.test.ts",
    "apps/files-svc/tests/s3-restart.test.ts",
    "apps/files-svc/tests/upload-memory.test.ts",
  ],
};
const parts = [...Object.keys(ringFiles), "kubernetes"];
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

const startedAtMs = Date.now();
const say = (text: string): void =>
  console.log(`[${((Date.now() - startedAtMs) / 1000).toFixed(1).padStart(6)} s] ${text}`);

const programs = await install(join(repositoryRoot, ".local/test-engines"), chosen, say);
const all: Counts[] = [];
for (const part of chosen) {
  say(part);
  const env = { ...process.env, ...(part === "s3" ? { TEST_S3_SERVER: programs.versitygw } : {}) };
  const files = ringFiles[part];
  const counts = files === undefined ? await applyManifests(programs, say) : await runFiles("service", files, env);
  say(`${part}: ${counts.passed} passed, ${counts.failed} failed`);
  all.push(counts);
}
reportTotal(all);
