import { domainKinds } from "./domains/index.ts";
import { createFaults } from "./faults.ts";
import { disableAutogroups } from "./hostile/autogroups.ts";
import { type CallerName, callerNames } from "./hostile/messages.ts";
import { runHostile } from "./hostile/run-hostile.ts";
import { type OverloadResult, runOverload } from "./overload.ts";
import { type LoadClient, startPlatform } from "./platform.ts";
import { isClean, renderReport, type TortureRun, writeReport } from "./report.ts";
import { torture } from "./torture.ts";

// make torture [PROFILE=faults] [MINUTES=10] [SEED=n] [EVENTS=1000] [AUDITS=50] [UPLOADS=5] … [CLIENTS=5] [OVERLOAD_SECONDS=180] [TORTURE_OUT=folder of the report]
// make torture PROFILE=hostile [MINUTES=38] [ALONE_SECONDS=60] [ATTACKED_SECONDS=240] [CALLERS=viewer,project]
const number = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);
const seed = number("SEED", Date.now() % 1_000_000);
const clientCount = number("CLIENTS", 5);
const folder = process.env.TORTURE_OUT;

const startedAtMs = performance.now();
const say = (text: string): void =>
  console.log(`[${((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(7)} s] ${text}`);

const profiles = { faults: runFaultsAndOverload, hostile: runHostileCallers };
const name = process.env.PROFILE ?? "faults";
if (!(name in profiles)) {
  console.error(`PROFILE is one of ${Object.keys(profiles).join(", ")}, not ${name}`);
  process.exit(1);
}
const isCaller = (name: string): name is CallerName => (callerNames as readonly string[]).includes(name);
const chosen: readonly string[] = process.env.CALLERS?.split(",") ?? callerNames;
const callers = chosen.filter(isCaller);
const unknown = chosen.find((name) => !isCaller(name));
if (unknown !== undefined) {
  console.error(`CALLERS is a list of ${callerNames.join(", ")}; ${unknown} is none of them`);
  process.exit(1);
}
// The kernel puts a process into an autogroup when the process starts.
if (name === "hostile") {
  process.once("exit", disableAutogroups());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
}
const platform = await startPlatform(say, { hasProxies: name === "faults" });
let hasHeld = false;
try {
  hasHeld = await profiles[name as keyof typeof profiles]();
  process.exitCode = hasHeld ? 0 : 1;
} finally {
  await platform.close(!hasHeld);
}

/**
 * Puts every domain under load, executes one fault after another, and then overloads the platform. @returns true if
 * nothing went wrong
 */
async function runFaultsAndOverload(): Promise<boolean> {
  const minutes = number("MINUTES", 10);
  const pace = Object.fromEntries(
    domainKinds.map(({ name, perSecond }) => [name, number(name.toUpperCase(), perSecond)]),
  );
  const options = { minutes, seed, clientCount, domains: domainKinds, pace, createFaults, afterwards: overload, say };
  const run: TortureRun = { minutes, seed, pace, ...(await torture(platform, options)) };
  const markdown = renderReport(run);
  console.log(`\n${markdown}`);
  say(`report written to ${writeReport(markdown, "report.md", folder)}`);
  const lost = run.verdicts.reduce((sum, verdict) => sum + verdict.lost.length, 0);
  const doubled = run.verdicts.reduce((sum, verdict) => sum + verdict.doubled.length, 0);
  console.log(`${lost} lost / ${doubled} doubled`);
  return isClean(run);
}

/** Runs hostile callers together with an honest one. @returns true if the platform met its limits */
async function runHostileCallers(): Promise<boolean> {
  const seconds = { alone: number("ALONE_SECONDS", 60), attacked: number("ATTACKED_SECONDS", 240) };
  return runHostile(platform, { minutes: number("MINUTES", 38), seed, clientCount, seconds, callers, folder, say });
}

/** Three times the peak load: once with gateways scheduled like any process, and once with gateways preferred. */
async function overload(clients: readonly LoadClient[]): Promise<OverloadResult[]> {
  // A gateway's memory grows for half a minute or more between collections, so each third of an overload must be longer
  // than that.
  const overloadSeconds = number("OVERLOAD_SECONDS", 180);
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
