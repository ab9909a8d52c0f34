import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { watchCpu } from "@platform/bench/process-tree";
import { freePortBase } from "@platform/stack/ports";
import { readEnvFile } from "@platform/stack/settings";
import type { Fault } from "../faults.ts";
import type { Platform } from "../platform.ts";
import { type HonestProbe, startHonestProbe } from "./honest-probe.ts";
import type { CallerName } from "./messages.ts";
import { applyProcessorShares } from "./processor-shares.ts";
import type { StackAddresses } from "./setting.ts";
import { type Callers, startCallers } from "./start-callers.ts";

export const alone = "alone";
export const attacked = "attacked";

/**
 * Time after a change of phase that counts for neither phase, because requests that started in one end in the other.
 */
const transitionMs = 5_000;

/** The hostile callers and the honest caller, ready to start. */
export type HostileRun = {
  readonly callers: Callers;
  readonly probe: HonestProbe;
  /** The two phases as faults of a torture run, which alternate until its time has passed. */
  readonly phases: readonly Fault[];
  /** Seconds so far in which the callers attacked. */
  attackedSeconds(): number;
  /** The processor time that each process has used in each kind of phase so far, in cores. */
  cores(): ReadonlyMap<string, ReadonlyMap<string, number>>;
  stop(): Promise<void>;
};

/**
 * Prepares an honest and a hostile project on the platform, and the process of the hostile callers.
 * @param seconds length of each kind of phase
 * @param names names of the attackers, from `callerNames`
 */
export async function prepareHostileRun(
  platform: Platform,
  seconds: { readonly alone: number; readonly attacked: number },
  names: readonly CallerName[],
): Promise<HostileRun> {
  const setting = await prepareHostileProject(platform);
  applyProcessorShares(platform.stack);
  const honest = (await platform.ctl(["clients", "create", "--name", "honest", "--environment", "development"])) as {
    id: string;
  };
  const scopes = "clients:read,events:write";
  const issued = await platform.ctl(["credentials", "issue", "--client", honest.id, "--scopes", scopes]);
  const probe = startHonestProbe(setting.gatewayUrl, (issued as { credential: string }).credential);
  const callers = await startCallers(setting, names);
  const cpu = createCpuByPhase();
  let attackedMs = 0;
  const during = async (phase: string, lastsSeconds: number): Promise<string> => {
    probe.enter("transition");
    await delay(transitionMs);
    probe.enter(phase);
    const ended = cpu.enter(phase);
    await delay(lastsSeconds * 1_000);
    ended();
    const { p50Ms, p99Ms } = probe.enter("transition");
    return `${lastsSeconds} s, honest p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
  };
  return {
    callers,
    probe,
    phases: [
      {
        name: "nobody attacks",
        run: () => during(alone, seconds.alone),
      },
      {
        name: `${names.join(", ")} attack`,
        run: async () => {
          const startedAtMs = performance.now();
          // A caller whose process gets little processor time confirms late that it has begun.
          const begun = callers.attack();
          const said = await during(attacked, seconds.attacked);
          await begun;
          await callers.pause();
          attackedMs += performance.now() - startedAtMs;
          return said;
        },
      },
    ],
    attackedSeconds: () => attackedMs / 1_000,
    cores: cpu.cores,
    stop: async () => {
      await probe.stop();
      await callers.close();
    },
  };
}

/** Collects the processor time of this process and its descendants by phase. */
function createCpuByPhase() {
  const phases = new Map<string, { seconds: number; readonly used: Map<string, number> }>();
  return {
    /** Begins a phase. The returned function ends it. */
    enter: (phase: string): (() => void) => {
      const of = phases.getOrInsertComputed(phase, () => ({ seconds: 0, used: new Map<string, number>() }));
      const startedAtMs = performance.now();
      const read = watchCpu();
      return () => {
        of.seconds += (performance.now() - startedAtMs) / 1_000;
        for (const [name, seconds] of read()) of.used.set(name, (of.used.get(name) ?? 0) + seconds);
      };
    },
    cores: () =>
      new Map(
        [...phases].map(([phase, { seconds, used }]) => [
          phase,
          new Map([...used].map(([name, of]) => [name, of / seconds])),
        ]),
      ),
  };
}

async function prepareHostileProject({ ctl, stack, gateways }: Platform): Promise<StackAddresses> {
  const run = async (...args: string[]) => (await ctl(args)) as Record<string, string>;
  const { id: clientId = "" } = await run("clients", "create", "--name", "hostile", "--environment", "development");
  const scopes = "events:write,files:write,schedules:write,notifications:write";
  const { credential = "" } = await run("credentials", "issue", "--client", clientId, "--scopes", scopes);
  const { token = "" } = await run("consumers", "issue", "--client", clientId);
  const slowTargetPort = (await freePortBase()) + 90;
  const gatewayUrl = gateways[0] ?? stack.baseUrl;
  const response = await fetch(`${gatewayUrl}/api/v1/scheduled-operations`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${credential}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
    },
    body: JSON.stringify({
      name: "hostile.target",
      url: `http://127.0.0.1:${slowTargetPort}/calls`,
      secret: randomUUID(),
      max_attempts: 100,
    }),
  });
  if (!response.ok) throw new Error(`the slow target was not registered: ${await response.text()}`);
  const { data } = (await response.json()) as { data: { id: string } };
  await run("subscriptions", "create", "--operation", data.id, "--types", "hostile.*");
  await run("schedules", "set-cron", "--operation", data.id, "--cron", "* * * * *", "--timezone", "UTC");
  return {
    gatewayUrl,
    consoleUrl: `http://127.0.0.1:${stack.ports.console}`,
    eventsGrpc: `127.0.0.1:${stack.ports.events.grpc}`,
    consumerToken: token,
    viewerPassword: readEnvFile(join(stack.directory, "operators.env")).OPERATOR_VIEWER_PASSWORD ?? "",
    clientId,
    credential,
    slowTargetPort,
  };
}
