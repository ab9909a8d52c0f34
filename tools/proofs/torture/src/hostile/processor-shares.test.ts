import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { getPriority } from "node:os";
import { serviceNames } from "@platform/contracts/services";
import { expect, onTestFinished, test } from "vitest";
import { applyProcessorShares, manifestOf, nicenessOf } from "./processor-shares.ts";

test("gives a process with a tenth of the largest request about a tenth of the weight", () => {
  expect(nicenessOf(1)).toBe(0);
  expect(nicenessOf(1 / 2)).toBe(3);
  expect(nicenessOf(1 / 10)).toBe(10);
  expect(nicenessOf(1 / 10_000)).toBe(19);
});

test("finds the manifest of every process of the platform, and none of a store", () => {
  const processes = ["gateway", "gateway-2", "console", "notify-svc-bounces"];
  const services = serviceNames.flatMap((name) => [`${name}-svc`, `${name}-svc-worker`]);
  for (const name of [...processes, ...services]) expect(existsSync(manifestOf(name) ?? "")).toBe(true);
  for (const name of ["redis", "mongo", "provider-sink", "oidc-provider", "prometheus"])
    expect(manifestOf(name)).toBeNull();
});

test("lowers the priority of the console's process below that of the gateway's", () => {
  const children = new Map(["gateway", "console", "mongo"].map((name) => [name, spawn("sleep", ["60"])]));
  onTestFinished(() => {
    for (const child of children.values()) child.kill("SIGKILL");
  });
  const pid = (name: string): number => children.get(name)?.pid ?? -1;
  const before = getPriority(pid("mongo"));
  const shares = applyProcessorShares({ names: () => [...children.keys()], pid });
  expect(shares.map(({ name }) => name)).toEqual(["gateway", "console"]);
  expect(getPriority(pid("console"))).toBeGreaterThan(getPriority(pid("gateway")));
  expect(getPriority(pid("mongo"))).toBe(before);
});
