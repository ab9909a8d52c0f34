import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Counts } from "@platform/checks/nx/run-ring";
import { readEnvFile } from "@platform/stack/settings";
import { eventually } from "@platform/test-kit/eventually";
import { domainKinds } from "@platform/torture/domains/index";
import { type Platform, startPlatform } from "@platform/torture/platform";
import { isCleanVerdict } from "@platform/torture/report";
import { torture } from "@platform/torture/torture";
import type { TestStore } from "./server.ts";

const kills = 3;
/** Less load than a torture run, because the store, the platform and the load share two cores. */
const pace = { events: 200, audits: 20, deliveries: 20, impressions: 20 };
const loadMs = 10_000;
const recoveryMsMax = 5_000;
const recoveryWaitMsMax = 60_000;
/** The kind of fault below performs all kills, because so short a run executes each fault once. */
const minutes = 1 / 60;

type Probe = { readonly path: string; readonly body: Readonly<Record<string, unknown>> };

/**
 * Kills PostgreSQL repeatedly under load. Nothing that was acknowledged may be lost, nothing may be done twice, and
 * each domain must respond soon after the store does.
 */
export async function runKillTest(store: TestStore, say: (text: string) => void): Promise<Counts> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const check = (isMet: boolean, text: string): void => {
    counts[isMet ? "passed" : "failed"] += 1;
    say(`${isMet ? "ok  " : "FAIL"} ${text}`);
  };
  process.env.MONGODB_URI = store.uri;
  const platform = await startPlatform(say);
  let isOfUse = true;
  try {
    const demo = await seedDemo(platform);
    const killAll = async (): Promise<string> => {
      for (let kill = 1; kill <= kills; kill += 1) {
        const probes = await probesOf(platform, demo);
        await delay(loadMs);
        const killedAtMs = performance.now();
        await store.killPostgres();
        await store.startPostgres();
        const recoveredAtMs = performance.now();
        say(`PostgreSQL killed, and back after ${recoveredAtMs - killedAtMs} ms`);
        await Promise.all(
          probes.map(async (probe) => {
            const ms = await recovery(platform, demo.PROJECT_CREDENTIAL ?? "", probe, recoveredAtMs);
            const took = ms === null ? `not within ${recoveryWaitMsMax / 1_000} s` : `${ms} ms after the store`;
            check(ms !== null && ms <= recoveryMsMax, `kill ${kill}: ${probe.path} answered again ${took}`);
          }),
        );
      }
      await delay(loadMs);
      return `${kills} times`;
    };
    const { verdicts } = await torture(platform, {
      minutes,
      seed: 1,
      clientCount: 3,
      domains: domainKinds,
      pace,
      createFaults: () => [{ name: "PostgreSQL killed", run: killAll }],
      say,
    });
    for (const verdict of verdicts) {
      const { kind, acknowledged, lost, doubled, refused, remarks } = verdict;
      const figures = `${acknowledged} acknowledged, ${lost.length} lost, ${doubled.length} doubled, ${refused.length} refused`;
      check(isCleanVerdict(verdict), `${kind}: ${figures}; ${remarks.join("; ")}`);
      for (const finding of [...lost, ...doubled, ...refused].slice(0, 10)) say(`     ${finding}`);
    }
    isOfUse = counts.failed > 0;
  } finally {
    await platform.close(isOfUse);
  }
  return counts;
}

async function seedDemo(platform: Platform): Promise<Readonly<Record<string, string>>> {
  await platform.ctl(["demo", "seed"]);
  return readEnvFile(join(platform.stack.directory, "demo.env"));
}

/** Returns one write for each service, and therefore for each database. */
async function probesOf(platform: Platform, demo: Readonly<Record<string, string>>): Promise<Probe[]> {
  const decide = ["ads", "decide", "--campaign", demo.CAMPAIGN_ID ?? "", "--format", "display"];
  // The load may delay an operator's call beyond its deadline. The probe's time limit starts after this call.
  const { token } = (await eventually(() => platform.ctl(decide), { what: "an ad decision" })) as { token: string };
  const expires = new Date(Date.now() + 3_600_000).toISOString();
  const id = randomUUID();
  return [
    { path: "/domain-events", body: { type: "probe.sent", schema_version: 1, data: {} } },
    {
      path: "/project-audits",
      body: { actor_id: "probe", action: "probe.sent", resource_type: "probe", resource_id: id, outcome: "succeeded" },
    },
    {
      path: "/identity-migration-transactions",
      body: {
        project_client_id: demo.PROJECT_CLIENT_ID,
        legacy_subject: `probe-${id}`,
        email: `probe-${id}@example.com`,
        locale: "en",
        correlation_id: id,
        expires_at: expires,
      },
    },
    {
      path: "/file-objects/upload-grants",
      body: { expected_sha256: "a".repeat(64), expected_content_type: "text/plain", maximum_bytes: 1 },
    },
    { path: "/email-delivery-endpoints", body: { address: `probe-${id}@example.com` } },
    {
      path: "/advertising/viewable-impressions",
      body: { token, visible_ratio_basis_points: 8_000, duration_milliseconds: 1_500 },
    },
  ];
}

/** Measures the time until a write is acknowledged. Returns null if none was acknowledged in time. */
async function recovery(
  platform: Platform,
  credential: string,
  { path, body }: Probe,
  sinceMs: number,
): Promise<number | null> {
  const headers = {
    authorization: `Bearer ${credential}`,
    "content-type": "application/json",
    "idempotency-key": randomUUID(),
  };
  while (performance.now() - sinceMs < recoveryWaitMsMax) {
    const request = { method: "POST", headers, body: JSON.stringify(body), signal: AbortSignal.timeout(5_000) };
    const response = await fetch(`${platform.gateways[0]}/api/v1${path}`, request).catch(() => null);
    await response?.body?.cancel();
    if (response?.ok === true) return performance.now() - sinceMs;
    await delay(50);
  }
  return null;
}
