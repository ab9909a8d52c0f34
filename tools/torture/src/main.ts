import { domainKinds } from "./domains/index.ts";
import { createFaults } from "./faults.ts";
import { type OverloadResult, runOverload } from "./overload.ts";
import { type LoadClient, startPlatform } from "./platform.ts";
import { isClean, renderReport, type TortureRun, writeReport } from "./report.ts";
import { torture } from "./torture.ts";

// make torture [MINUTES=10] [SEED=n] [EVENTS=1000] [AUDITS=50] [UPLOADS=5] … [CLIENTS=5] [OVERLOAD_SECONDS=180] [TORTURE_OUT=folder of the report]
const number = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);
const minutes = number("MINUTES", 10);
const seed = number("SEED", Date.now() % 1_000_000);
const pace = Object.fromEntries(
  domainKinds.map(({ name, perSecond }) => [name, number(name.toUpperCase(), perSecond)]),
);
// A gateway's memory rises for half a minute or more between collections; each third of an overload must be longer than that.
const overloadSeconds = number("OVERLOAD_SECONDS", 180);

const startedAtMs = Date.now();
const say = (text: string): void =>
  console.log(`[${((Date.now() - startedAtMs) / 1000).toFixed(1).padStart(7)} s] ${text}`);

const platform = await startPlatform(say);

/** Three times the peak: once with gateways scheduled like any process, once with gateways preferred. */
async function overload(clients: readonly LoadClient[]): Promise<OverloadResult[]> {
  const overloads: OverloadResult[] = [];
  for (const isGatewayFirst of overloadSeconds > 0 ? [false, true] : []) {
    say(`overload: three times the peak for ${overloadSeconds} s, gateways ${isGatewayFirst ? "first" : "among all"}`);
    await platform.bypassProxies();
    const result = await runOverload(platform, clients, { overloadMs: overloadSeconds * 1_000, isGatewayFirst }, say);
    if (result === null) say("no right to put the gateways first (chrt, root): left out");
    else overloads.push(result);
  }
  return overloads;
}

let isOfUse = true;
try {
  const outcome = await torture(platform, {
    minutes,
    seed,
    clientCount: number("CLIENTS", 5),
    domains: domainKinds,
    pace,
    createFaults,
    afterwards: overload,
    say,
  });
  const run: TortureRun = { minutes, seed, pace, ...outcome };
  const markdown = renderReport(run);
  console.log(`\n${markdown}`);
  say(`report written to ${writeReport(markdown, process.env.TORTURE_OUT)}`);
  const lost = run.verdicts.reduce((sum, verdict) => sum + verdict.lost.length, 0);
  const doubled = run.verdicts.reduce((sum, verdict) => sum + verdict.doubled.length, 0);
  console.log(`${lost} lost / ${doubled} doubled`);
  isOfUse = !isClean(run);
  process.exitCode = isOfUse ? 1 : 0;
} finally {
  await platform.close(isOfUse);
}
