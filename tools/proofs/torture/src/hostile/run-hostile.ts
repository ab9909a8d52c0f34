import { execFileSync } from "node:child_process";
import { cpus, totalmem } from "node:os";
import { repositoryRoot } from "@platform/stack/stack";
import { domainKinds } from "../domains/index.ts";
import type { Platform } from "../platform.ts";
import { writeReport } from "../report.ts";
import { torture } from "../torture.ts";
import type { CallerName } from "./messages.ts";
import { prepareHostileRun } from "./phases.ts";
import { isHeld, renderHostileReport } from "./report.ts";

/**
 * Requests per second of each domain. The load leaves the machine idle enough for the honest caller's times to be
 * meaningful.
 */
const pace = { events: 10, audits: 2, deliveries: 2, uploads: 0.5, schedules: 0.1, impressions: 2, migrations: 0.2 };

type HostileOptions = {
  readonly minutes: number;
  readonly seed: number;
  readonly clientCount: number;
  /** Seconds of one phase without and with attackers. */
  readonly seconds: { readonly alone: number; readonly attacked: number };
  /** Names of the attackers, from `callerNames`. */
  readonly callers: readonly CallerName[];
  readonly folder: string | undefined;
  readonly say: (text: string) => void;
};

/**
 * Lets an outsider, a consumer, a viewer and a project, or some of them, attack the platform while an honest caller
 * uses it, and reconciles the acknowledged ids.
 * @returns true if nothing was lost and the honest caller waited no longer than permitted
 */
export async function runHostile(platform: Platform, options: HostileOptions): Promise<boolean> {
  const { minutes, seed, clientCount, seconds, callers, say } = options;
  const hostile = await prepareHostileRun(platform, seconds, callers);
  // The honest caller publishes as well, and must stop before the stores are compared.
  const afterwards = () => hostile.stop().then(() => []);
  const run = {
    minutes,
    seed,
    clientCount,
    domains: domainKinds,
    pace,
    createFaults: () => hostile.phases,
    afterwards,
  };
  const { verdicts } = await torture(platform, { ...run, say });
  const version = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: repositoryRoot, encoding: "utf8" });
  const outcome = {
    minutes,
    seconds,
    callers,
    verdicts,
    probe: hostile.probe.results(),
    attempts: hostile.callers.counts(),
    attackedSeconds: hostile.attackedSeconds(),
    cores: hostile.cores(),
    version: version.trim(),
    machine: `Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB`,
  };
  const markdown = renderHostileReport(outcome);
  console.log(`\n${markdown}`);
  say(`report written to ${writeReport(markdown, "hostile.md", options.folder)}`);
  return isHeld(outcome);
}
