import { runChecks } from "./run-checks.ts";
import { type Counts, reportTotal, runRing } from "./run-ring.ts";

const all: Counts[] = [{ ...(await runChecks()), skipped: 0 }];
for (const ring of ["unit", "service", "acceptance", "alone", "faults"]) all.push(await runRing(ring));
reportTotal(all);
