import { silentLogger } from "@platform/kit/process/telemetry";
import { afterEach, expect, test, vi } from "vitest";
import { createCredentialUses } from "./credential-uses.ts";

afterEach(() => void vi.useRealTimers());

const use = (at: string) => ({ at: new Date(at), network: "203.0.113.0/24" });

test("waits at its close for the write that its timer began, because the store closes afterwards", async () => {
  vi.useFakeTimers();
  const steps: string[] = [];
  const { promise: written, resolve: finishWrite } = Promise.withResolvers<void>();
  const write = async (uses: ReadonlyMap<string, unknown>): Promise<void> => {
    steps.push(`writes ${[...uses.keys()]}`);
    await written;
    steps.push("has written");
  };
  const uses = createCredentialUses(write, silentLogger());
  await vi.advanceTimersByTimeAsync(0);
  uses.note("credential-a", use("2026-11-25T09:00:00Z"));
  await vi.advanceTimersByTimeAsync(6_000);
  expect(steps).toEqual(["writes credential-a"]);
  const closed = uses.close().then(() => steps.push("is closed"));
  await vi.advanceTimersByTimeAsync(1_000);
  finishWrite();
  await closed;
  expect(steps).toEqual(["writes credential-a", "has written", "is closed"]);
});

test("writes at its close what it has recorded since the last write", async () => {
  const written: string[] = [];
  const uses = createCredentialUses(async (all) => void written.push(...all.keys()), silentLogger());
  uses.note("credential-a", use("2026-11-25T09:00:00Z"));
  await uses.close();
  expect(written).toEqual(["credential-a"]);
});
