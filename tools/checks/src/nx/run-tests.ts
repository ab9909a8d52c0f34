import { allRings, chooseRings, dayRings, type Ring } from "./rings.ts";
import { runChecks } from "./run-checks.ts";
import { type Counts, reportTotal, runRing } from "./run-ring.ts";

// Command `run-tests.ts [--all]`: runs the rings named in RINGS, otherwise those of `make test`, or all. The last line
// is "N passed, N failed".
const isWhole = process.argv.includes("--all");
let rings: readonly Ring[] = [];
try {
  rings = chooseRings(process.env.RINGS, isWhole ? allRings : dayRings);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
const env = isWhole ? { FUZZ_REQUESTS: "1000000", UPLOAD_MEBIBYTES: "200", ...process.env } : process.env;
const all: Counts[] = [];
for (const ring of rings) all.push(ring === "check" ? await runChecks() : await runRing(ring, env));
reportTotal(all);
