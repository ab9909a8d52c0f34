import { expect, test } from "vitest";
import { builtInQuotaDefaults, effectiveQuotaLimits, overlayQuotaDefaults } from "./quota-defaults.ts";

test("overrides built-in limits by configuration, for one environment or all", () => {
  const defaults = overlayQuotaDefaults({ events: 5, staging: { events: 6 } });
  expect([defaults.development.events, defaults.staging.events]).toEqual([5, 6]);
  expect(defaults.production.deliveries).toBe(builtInQuotaDefaults.production.deliveries);
});

test.each([
  [{ evnets: 5 }, /neither an environment nor|unknown quota resource/],
  [{ production: { evnets: 5 } }, /unknown quota resource/],
  [{ events: 0 }, /at least 1/],
  [{ events: 1.5 }, /at least 1/],
  [{ moon: { events: 5 } }, /neither an environment/],
])("refuses the configuration %j with a reason", (overrides, message) => {
  expect(() => overlayQuotaDefaults(overrides as Record<string, number>)).toThrow(message);
});

test("prefers a client's own limit over every default", () => {
  const client = { environment: "production", quota_limits: { events: 3 } } as const;
  expect(effectiveQuotaLimits(builtInQuotaDefaults, client)).toMatchObject({ events: 3, api_traffic: 60_000 });
});
