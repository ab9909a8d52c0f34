import { randomBytes } from "node:crypto";
import { serviceNames } from "@platform/contracts/services";
import type { Document } from "mongodb";
import { v7 } from "uuid";

const dayMs = 86_400_000;
const statusDays = 60;

type Made = { readonly service: string; readonly collection: string; readonly documents: readonly Document[] };

/**
 * Creates records of the history that no request of the demo creates: a consumer of events, verified and revoked endpoints, and the days of the status page.
 * @param hours full hours, oldest first
 */
export function demoRecords(clientId: string, hours: readonly Date[], now: Date): Made[] {
  return [
    { service: "events", collection: "event_consumers", documents: [consumerOf(clientId, hours[0] ?? now)] },
    {
      service: "notify",
      collection: "usage_counts",
      documents: hours.flatMap((at, index) => endpointsOf(clientId, at, index)),
    },
    { service: "identity", collection: "health_days", documents: healthDays(now) },
  ];
}

/** Records that the endpoints of `demo-history.ts` were verified and revoked. On one day, a provider rejected several tokens. */
function endpointsOf(clientId: string, hour: Date, index: number): Document[] {
  const revoked = (index % 36 === 17 ? 1 : 0) + (index % 311 === 200 ? 5 : 0);
  const counts = { endpoints_verified: index % 4 === 0 ? 1 : 0, endpoints_revoked: revoked };
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => ({
      _id: `${clientId} ${kind} ${hour.toISOString()}`,
      project_client_id: clientId,
      kind,
      hour,
      count,
      reports: {},
    }));
}

/** Creates a consumer of the event log with a token that nobody knows. */
const consumerOf = (clientId: string, at: Date): Document => ({
  _id: v7({ msecs: at.getTime() }),
  bound_to: clientId,
  name: "reports",
  secrets: [{ hash: randomBytes(32).toString("hex"), ends_at: null }],
  generation: 0,
  created_at: at,
  revoked_at: null,
});

function healthDays(now: Date): Document[] {
  const components = ["gateway", "redis", ...serviceNames.map((name) => `${name}-svc`)];
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  return Array.from({ length: statusDays }, (_, index) => {
    const began_at = new Date(today - (statusDays - index) * dayMs);
    const minutes = components.map((name, place) => {
      const down = (index + 3 * place) % 43 === 7 ? 6 : 0;
      const degraded = (index + 5 * place) % 19 === 3 ? 14 : 0;
      return [
        name,
        { ok: 1_440 - down - degraded, ...(down > 0 ? { down } : {}), ...(degraded > 0 ? { degraded } : {}) },
      ];
    });
    return { _id: began_at.toISOString().slice(0, 10), began_at, minutes: Object.fromEntries(minutes), counted: [] };
  });
}
