import { checkClocks } from "../check-clocks.ts";
import { checkGeneratedProto } from "../check-generated.ts";
import { checkGuide } from "../check-guide.ts";
import { checkImports } from "../check-imports.ts";
import { checkClientPackage } from "../check-package.ts";
import { checkConsoleAlerts } from "../console-alerts.ts";
import { checkDashboards } from "../dashboards/build-dashboards.ts";
import { checkManifests } from "../manifests/check-manifests.ts";
import { checkOperatorRpcs } from "../operator-rpcs.ts";
import { checkProtoBounds } from "../proto-bounds.ts";
import { checkTestTargets } from "./check-test-targets.ts";

// The project's own checks, as targets of Nx: `run-check.ts <name>...` prints their problems.
const checks: Readonly<Record<string, () => Promise<string[]> | string[]>> = {
  imports: () => [...checkImports(), ...checkTestTargets(), ...checkClocks()],
  manifests: async () => [...(await checkManifests()), ...checkDashboards(), ...checkConsoleAlerts()],
  messages: checkGeneratedProto,
  "client-package": checkClientPackage,
  guide: checkGuide,
  "operator-rpcs": checkOperatorRpcs,
  "proto-bounds": checkProtoBounds,
};

const problems: string[] = [];
for (const name of process.argv.slice(2)) {
  const check = checks[name];
  if (check === undefined) throw new Error(`no check is called ${name}`);
  problems.push(...(await check()));
}
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
