import { checkCasts } from "../check-casts.ts";
import { checkClocks } from "../check-clocks.ts";
import { checkGeneratedProto } from "../check-generated.ts";
import { checkGuide } from "../check-guide.ts";
import { checkImports } from "../check-imports.ts";
import { checkClientPackage } from "../check-package.ts";
import { checkDashboards } from "../dashboards/build-dashboards.ts";
import { checkManifests } from "../manifests/check-manifests.ts";
import { renderer } from "../manifests/render-overlay.ts";
import { testAlertRules } from "../manifests/test-alert-rules.ts";
import { checkOperatorRpcs } from "../operator-rpcs.ts";
import { checkProtoBounds } from "../proto-bounds.ts";
import { checkRenderedServices } from "../rendered/render-services.ts";
import { checkTestTargets } from "./check-test-targets.ts";
import { skippedMark } from "./marked-lines.ts";

/** Problems found, and parts that were skipped because a program is missing, which `make check` counts as skipped. */
type Outcome = readonly string[] | { readonly problems: readonly string[]; readonly skipped: string };

// The project's own checks, as targets of Nx: `run-check.ts <name>...` prints their problems.
const checks: Readonly<Record<string, () => Promise<Outcome> | Outcome>> = {
  alerts: () =>
    testAlertRules() ?? { problems: [], skipped: "alert rules not tested: no promtool (apt-get install prometheus)" },
  imports: () => [...checkImports(), ...checkTestTargets(), ...checkClocks(), ...checkCasts()],
  manifests: async () => {
    const problems = [...(await checkManifests()), ...checkDashboards()];
    return renderer === null
      ? { problems, skipped: "overlays not rendered: neither kubectl 1.27 or newer nor Go" }
      : problems;
  },
  messages: checkGeneratedProto,
  "client-package": checkClientPackage,
  guide: checkGuide,
  "operator-rpcs": checkOperatorRpcs,
  "proto-bounds": checkProtoBounds,
  "rendered-services": checkRenderedServices,
};

const problems: string[] = [];
for (const name of process.argv.slice(2)) {
  const check = checks[name];
  if (check === undefined) throw new Error(`no check is called ${name}`);
  const outcome = await check();
  if ("skipped" in outcome) console.log(`${skippedMark}${outcome.skipped}`);
  problems.push(...("skipped" in outcome ? outcome.problems : outcome));
}
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
