import { checkGeneratedProto } from "../check-generated.ts";
import { checkImports } from "../check-imports.ts";
import { checkManifests } from "../manifests/check-manifests.ts";
import { checkTestTargets } from "./check-test-targets.ts";

// One of the project's own checks, as a target of Nx: `run-check.ts <name>` prints its problems.
const checks: Readonly<Record<string, () => Promise<string[]> | string[]>> = {
  imports: () => [...checkImports(), ...checkTestTargets()],
  manifests: checkManifests,
  messages: checkGeneratedProto,
};

const [name = ""] = process.argv.slice(2);
const check = checks[name];
if (check === undefined) throw new Error(`no check is called ${name}`);
const problems = await check();
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
