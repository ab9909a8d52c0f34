import type { Sweep } from "@platform/kit/jobs/work";
import type { Logger } from "@platform/kit/process/telemetry";
import { noticeFact } from "@platform/operator-plane/platform-events";
import type { Quota } from "@platform/quota/quota";
import { quotaWindowOf } from "@platform/quota/quota-windows";
import { Gauge, type Registry } from "@prometheus-io/client";
import type { ProjectClient } from "../domain/project-client.ts";
import { effectiveQuotaLimits, type QuotaDefaults } from "../domain/quota-defaults.ts";
import { isRearmed, thresholds, windowName } from "../domain/quota-threshold.ts";
import type { Stores } from "../store/create-stores.ts";

type WatchOptions = {
  readonly stores: Pick<Stores, "clients" | "quotaNotices" | "reachedQuotas">;
  readonly quota: Pick<Quota, "usedIfKnown">;
  readonly quotaDefaults: QuotaDefaults;
  readonly clock: () => Date;
  readonly logger: Logger;
};
type Use = { readonly resource: string; readonly used: number; readonly limit: number };

const clientsMax = 10_000;
const pageSize = 200;

/** Reports reached thresholds to the clients that have platform events turned on. */
export async function watchQuotasOfToldClients(
  options: WatchOptions,
  sweep: Sweep,
  signal: AbortSignal,
): Promise<void> {
  const run = await sweep.begin(signal);
  for (const clientId of await options.stores.clients.listPlatformEventsAfter("", clientsMax)) {
    if (!run.goesOn()) return;
    await run.attempt(clientId, async () => {
      const client = await options.stores.clients.find(clientId);
      if (client !== null) await noticeThresholds(client, options);
    });
  }
  await run.end();
}

/**
 * Reports reached thresholds of all clients to operators: as log lines, as the number of quotas in metrics, and as
 * the list of exhausted quotas.
 */
export function createQuotaWatch(
  options: WatchOptions,
  sweep: Sweep,
  registry: Registry,
): (signal: AbortSignal) => Promise<void> {
  const gauge = new Gauge({
    name: "platform_quotas_over_threshold",
    help: "Quotas of Project Clients of which at least so many percent are used.",
    labelNames: ["resource", "percent"],
    registers: [registry],
  });
  return async (signal) => {
    const run = await sweep.begin(signal);
    const counts = new Map<string, number>();
    const reached: [clientId: string, resource: string][] = [];
    for (let afterId = ""; ; ) {
      const clients = await options.stores.clients.listAfter(afterId, pageSize);
      for (const client of clients) {
        if (!run.goesOn()) return;
        await run.attempt(client.id, async () => {
          for (const { resource, used, limit } of await noticeThresholds(client, options)) {
            if (used >= limit) reached.push([client.id, resource]);
            for (const percent of thresholds) {
              const name = `${resource} ${percent}`;
              counts.set(name, (counts.get(name) ?? 0) + (used * 100 >= limit * percent ? 1 : 0));
            }
          }
        });
      }
      const last = clients.at(-1);
      if (last === undefined || clients.length < pageSize) break;
      afterId = last.id;
    }
    await run.end();
    await options.stores.reachedQuotas.replace(reached, options.clock());
    for (const [name, count] of counts) {
      const [resource = "", percent = ""] = name.split(" ");
      gauge.set({ resource, percent }, count);
    }
  };
}

/**
 * Reports each threshold of a client once: for a quota with a window once in each window, for a gauge quota each time
 * that the threshold is crossed.
 * @returns the current usage
 */
async function noticeThresholds(client: ProjectClient, options: WatchOptions): Promise<Use[]> {
  const { stores, quota, quotaDefaults, clock, logger } = options;
  const crossed = await stores.quotaNotices.crossedLevels(client.id);
  const uses: Use[] = [];
  for (const [resource, limit] of Object.entries(effectiveQuotaLimits(quotaDefaults, client))) {
    const used = await quota.usedIfKnown(client.id, resource);
    // The use is unknown if Redis has lost the counter. A gauge is counted again when its client next spends units.
    if (used === null) continue;
    uses.push({ resource, used, limit });
    const window = quotaWindowOf(resource);
    const now = clock();
    for (const percent of thresholds) {
      const isOver = used * 100 >= limit * percent;
      const isCrossed = crossed.get(resource)?.has(percent) === true;
      if (window === "level" && isCrossed && isRearmed(used, limit, percent)) {
        await stores.quotaNotices.rearmLevel(client.id, resource, percent);
      }
      if (!isOver || isCrossed) continue;
      const id = `${resource}.${window === "level" ? now.toISOString() : windowName(window, now)}`;
      const data = { resource, percent, used, limit };
      const isLogged = client.platform_events === true;
      const made = noticeFact({ resource: "quota", id, state: "threshold_reached", data }, now, isLogged);
      const fact = { ...made, key: `${made.key}:${percent}` };
      const isFirst =
        window === "level"
          ? await stores.quotaNotices.crossLevel(client.id, resource, percent, fact)
          : await stores.quotaNotices.tell(client.id, fact);
      if (isFirst) {
        logger.info(
          { project_client_id: client.id, resource, percent, used, limit },
          "a quota has reached a threshold",
        );
      }
    }
  }
  return uses;
}
