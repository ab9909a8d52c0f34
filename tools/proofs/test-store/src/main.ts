import { join } from "node:path";
import { type Counts, reportTotal, runRing } from "@platform/checks/nx/run-ring";
import { startLog } from "@platform/checks/nx/start-log";
import { repositoryRoot } from "@platform/stack/stack";
import { type GivenStore, openGivenStore } from "./given-store.ts";
import { install, missingRequirements } from "./install.ts";
import { runKillTest } from "./kill-test.ts";
import { startTestStore, type TestStore } from "./server.ts";

// Command: make test-store [ONLY=service,crawl,acceptance,alone,kill]. ONLY=serve starts the server, prints its
// MONGODB_URI and waits. If MONGODB_URI is set, the tests use that server, which must be empty, and nothing is killed.
const givenUri = process.env.MONGODB_URI ?? "";
const parts = ["service", "crawl", "acceptance", "alone", ...(givenUri === "" ? ["kill"] : [])];
const chosen = process.env.ONLY === undefined ? parts : process.env.ONLY.split(",");
const unknown = chosen.filter((part) => ![...parts, "serve"].includes(part));
if (unknown.length > 0) {
  console.error(`ONLY takes ${parts.join(", ")} or serve, and not ${unknown.join(", ")}`);
  process.exit(1);
}
const missing = givenUri === "" ? missingRequirements() : [];
if (missing.length > 0) {
  console.error(`make test-store makes a server of its own and lacks\n${missing.map((one) => `  ${one}`).join("\n")}`);
  process.exit(1);
}

const folder = join(repositoryRoot, ".local/test-store");
const say = startLog();

let made: TestStore | null = null;
let store: GivenStore | null = null;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // Processes that the tests have started end with this process.
  process.once(signal, () => void store?.stop().finally(() => process.exit(130)));
}
try {
  if (givenUri === "") made = await startTestStore(folder, await install(folder, say));
  store = made ?? (await openGivenStore(givenUri));
} catch (error) {
  console.error(`there is no server to test on: ${(error as Error).message}`);
  process.exit(1);
}
say(`MONGODB_URI=${store.uri}`);
if (chosen.includes("serve")) {
  console.log(`READY ${store.uri}`);
  await new Promise(() => {});
}
const all: Counts[] = [];
try {
  for (const part of chosen) {
    say(part);
    await store.empty();
    const env = { ...process.env, MONGODB_URI: store.uri };
    const counts = made !== null && part === "kill" ? await runKillTest(made, say) : await runRing(part, env);
    say(`${part}: ${counts.passed} passed, ${counts.failed} failed`);
    all.push(counts);
  }
} finally {
  await store.stop();
}
say("done");
reportTotal(all);
