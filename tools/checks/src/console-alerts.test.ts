import { expect, test } from "vitest";
import { boundOf, checkConsoleAlerts } from "./console-alerts.ts";

test("reads the bound of a rule over one metric", () => {
  expect(boundOf('max by (resource) (platform_quotas_over_threshold{percent="100"}) > 0')).toEqual({
    comparison: ">",
    value: 0,
    metric: "platform_quotas_over_threshold",
    aggregate: "max",
    matchers: 'percent="100"',
    minutes: null,
  });
  expect(boundOf("sum by (service) (increase(platform_operator_break_glass_total[15m])) > 0")).toMatchObject({
    metric: "platform_operator_break_glass_total",
    minutes: 15,
  });
});

test("reads only the comparison of a rule over several metrics", () => {
  expect(boundOf("sum(rate(a[5m]))\n/ sum(rate(b[5m])) > 0.01")).toMatchObject({
    comparison: ">",
    value: 0.01,
    metric: null,
  });
  expect(boundOf("changes(a[30m]) and b")).toBeNull();
});

test("shows operators at the console the alerts and runbook sections that there are", () => {
  expect(checkConsoleAlerts()).toEqual([]);
});
