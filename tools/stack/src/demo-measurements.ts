import { randomBytes } from "node:crypto";
import { serviceNames } from "@platform/contracts/services";
import type { Document } from "mongodb";
import { v7 } from "uuid";

const slotMs = 600_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The first page shows a day. */
const platformSlots = 2 * 144;
const statusDays = 60;

type Values = Readonly<Record<string, number>>;
type Made = { readonly service: string; readonly collection: string; readonly documents: readonly Document[] };

/**
 * What the processes would have measured before, a consumer that reads in batches, and the days of the status page.
 * @param hours full hours, oldest first
 * @param load how much there was to do at a time, 1 on average
 */
export function demoMeasurements(
  clientId: string,
  hours: readonly Date[],
  now: Date,
  load: (at: Date) => number,
): Made[] {
  const slots = Array.from(
    { length: platformSlots },
    (_, index) => new Date((Math.floor(now.getTime() / slotMs) - platformSlots + index) * slotMs),
  );
  const of = (service: string, documents: readonly Document[], collection = "measurements"): Made => ({
    service,
    collection,
    documents,
  });
  const consumer = consumerOf(clientId, hours[0] ?? now);
  const aged = (service: string, key: string, most: number): Made =>
    of(
      service,
      slots.map((at, index) => gauges("", at, { [key]: index % 37 === 5 ? most : (most / 20) * load(at) })),
    );
  return [
    of(
      "identity",
      slots.map((at, index) => sums("", at, answers(Math.round(150 * load(at)) + 3, index))),
    ),
    aged("notify", "platform_notify_queue_age_seconds", 9),
    aged("files", "platform_job_queue_age_seconds|queue=classify-file-objects", 14),
    aged("events", "platform_job_queue_age_seconds|queue=make-run", 4),
    of(
      "notify",
      hours.map((at, index) =>
        sums(clientId, at, { ...sentAfter(Math.round(40 * load(at)) + 2, index), ...endpointChanges(index) }),
      ),
    ),
    of(
      "events",
      hours.map((at, index) =>
        gauges(clientId, at, { [`consumer_lag|consumer=${consumer._id}`]: (index % 9) * Math.round(30 * load(at)) }),
      ),
    ),
    of("events", [consumer], "event_consumers"),
    of("identity", healthDays(now), "health_days"),
  ];
}

const slotOf = (clientId: string, at: Date, values: Document): Document => ({
  _id: `${clientId || "-"} ${at.toISOString()}`,
  project_client_id: clientId,
  at,
  reports: {},
  reported_at: at,
  ...values,
});
const sums = (clientId: string, at: Date, values: Values): Document => slotOf(clientId, at, { sums: values });
const gauges = (clientId: string, at: Date, values: Values): Document =>
  slotOf(clientId, at, { peaks: values, latest: values });

/** So many requests, some of them refused and a few failed; slower when there are many. */
function answers(count: number, index: number): Values {
  const failed = index % 29 === 11 ? 2 : 0;
  const refused = Math.round(count / 14);
  const key = (answer: string, bound: string): string =>
    `platform_http_request_duration_seconds|answer=${answer}|le_ms=${bound}`;
  const part = (share: number): number => Math.round(count * share);
  return {
    [key("2xx", "5")]: part(0.3),
    [key("2xx", "10")]: part(0.7 - (index % 5) / 50),
    [key("2xx", "25")]: part(0.93),
    [key("2xx", "100")]: part(0.985),
    [key("2xx", "250")]: count,
    [key("2xx", "inf")]: count,
    [key("4xx", "10")]: refused,
    [key("4xx", "inf")]: refused,
    ...(failed === 0 ? {} : { [key("5xx", "250")]: failed, [key("5xx", "inf")]: failed }),
  };
}

function sentAfter(count: number, index: number): Values {
  const key = (bound: string): string => `time_to_sent|channel=email|le_ms=${bound}`;
  const isSlow = index % 31 === 4;
  return {
    [key("250")]: Math.round(count * (isSlow ? 0.1 : 0.6)),
    [key("1000")]: Math.round(count * (isSlow ? 0.4 : 0.9)),
    [key("5000")]: Math.round(count * (isSlow ? 0.8 : 1)),
    [key("60000")]: count,
    [key("inf")]: count,
  };
}

/** As the endpoints of `demo-history.ts` were verified and revoked; once a provider forgot some tokens. */
function endpointChanges(index: number): Values {
  const key = (to: string, channel: string): string => `endpoint_changes|to=${to}|channel=${channel}`;
  return {
    ...(index % 4 === 0 ? { [key("verified", "email")]: 1 } : {}),
    ...(index % 36 === 17 ? { [key("revoked", "email")]: 1 } : {}),
    ...(index % 311 === 200 ? { [key("revoked", "fcm")]: 5 } : {}),
  };
}

/** A team that reads the log, with a token that nobody was told. */
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
