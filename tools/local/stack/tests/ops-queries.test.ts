import { expect, test } from "vitest";
import { exportedNames, readsOf } from "./ops-queries.ts";

test.each([
  ['sum(rate(a_total{code!="ok"}[5m])) / sum(rate(b_count[5m])) > 0.01', ["a_total", "b_count"], ["code"]],
  ["histogram_quantile(0.99, sum by (le, rpc) (rate(c_bucket[$__rate_interval])))", ["c_bucket"], ["le", "rpc"]],
  ["max by (service) (d) > 450e6 and max by (service) (deriv(d[1h])) > 0", ["d", "d"], ["service", "service"]],
  ["f unless on (pod) g", ["f", "g"], ["pod"]],
  ['e{x=~"5..",y!~"files[.](a|b).*"} == 0', ["e"], ["x", "y"]],
])("reads the metrics and labels of %s", (expr, metrics, labels) => {
  expect(readsOf(expr)).toEqual({ metrics, labels });
});

test("reads counters and histograms of a page as the series that Prometheus stores, in both formats", () => {
  const page = "# TYPE a_total counter\n# TYPE b counter\n# TYPE c histogram\n# TYPE d gauge\n";
  expect(exportedNames(page)).toEqual(["a_total", "b", "b_total", "c_bucket", "c_sum", "c_count", "d"]);
});
