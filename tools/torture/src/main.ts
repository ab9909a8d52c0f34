import { followArrivals } from "./arrivals.ts";
import { runFaults } from "./faults.ts";
import { createHistory } from "./history.ts";
import { startLoad } from "./load.ts";
import { type OverloadResult, runOverload } from "./overload.ts";
import { prepareClient, startPlatform } from "./platform.ts";
import { seededRandom } from "./random.ts";
import { reconcile } from "./reconcile.ts";
import { isClean, renderReport, type TortureRun, writeReport } from "./report.ts";

// make torture [MINUTES=10] [SEED=n] [EVENTS=1000] [AUDITS=50] [DELIVERIES=200] [CLIENTS=5] [OVERLOAD_SECONDS=180] [TORTURE_OUT=folder of the report]
const number = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);
const minutes = number("MINUTES", 10);
const seed = number("SEED", Date.now() % 1_000_000);
const pace = { events: number("EVENTS", 1_000), audits: number("AUDITS", 50), deliveries: number("DELIVERIES", 200) };
// Gateways' memory rises for half a minute and more until it is collected: each third of an overload is to hold all of that.
const overloadSeconds = number("OVERLOAD_SECONDS", 180);

const startedAtMs = Date.now();
const say = (text: string): void =>
  console.log(`[${((Date.now() - startedAtMs) / 1000).toFixed(1).padStart(7)} s] ${text}`);

const platform = await startPlatform(say);
let isOfUse = true;
try {
  say(`preparing clients (seed ${seed})`);
  const clients = [];
  for (let index = 0; index < number("CLIENTS", 5); index += 1) clients.push(await prepareClient(platform, index));
  const history = createHistory();
  const arrivals = followArrivals(platform.sinkUrl);
  const load = startLoad({
    gateways: platform.disturbedGateways,
    clients,
    history,
    eventsPerSecond: pace.events,
    auditsPerSecond: pace.audits,
    deliveriesPerSecond: pace.deliveries,
  });
  say(`load started; faults for ${minutes} minutes`);
  const settledByMinute: number[] = [];
  const watch = setInterval(() => {
    const { settled, again } = load.progress();
    settledByMinute.push(settled);
    say(
      `${settled} requests settled in a minute, ${load.open()} open; tries to be made again: ${JSON.stringify(again)}`,
    );
  }, 60_000);
  const faults = await runFaults(platform, seededRandom(seed), Date.now() + minutes * 60_000, say);
  clearInterval(watch);
  say(`faults over; ${load.open()} requests still open`);
  await load.finish(120_000);
  const overloads: OverloadResult[] = [];
  for (const isGatewayFirst of overloadSeconds > 0 ? [false, true] : []) {
    say(`overload: three times the peak for ${overloadSeconds} s, gateways ${isGatewayFirst ? "first" : "among all"}`);
    await platform.bypassProxies();
    const result = await runOverload(platform, clients, { overloadMs: overloadSeconds * 1_000, isGatewayFirst }, say);
    if (result === null) say("no right to put the gateways first (chrt, root): left out");
    else overloads.push(result);
  }
  say("reconciling every acknowledged id");
  const verdicts = await reconcile(platform, clients, history, arrivals, overloads);
  arrivals.stop();
  const run: TortureRun = { minutes, seed, pace, faults, settledByMinute, verdicts, overloads };
  const markdown = renderReport(run);
  console.log(`\n${markdown}`);
  say(`report written to ${writeReport(markdown, process.env.TORTURE_OUT)}`);
  const lost = verdicts.reduce((sum, verdict) => sum + verdict.lost.length, 0);
  const doubled = verdicts.reduce((sum, verdict) => sum + verdict.doubled.length, 0);
  console.log(`${lost} lost / ${doubled} doubled`);
  isOfUse = !isClean(run);
  process.exitCode = isOfUse ? 1 : 0;
} finally {
  await platform.close(isOfUse);
}
