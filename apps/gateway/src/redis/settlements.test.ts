import { silentLogger } from "@platform/kit/process/telemetry";
import { expect, test } from "vitest";
import type { MeteringRequest } from "./metering.ts";
import { createSettlements } from "./settlements.ts";

const request = (claimId: string): MeteringRequest => ({
  traffic: null,
  idempotency: { key: claimId, fingerprint: "", claimId, leaseMs: 30_000 },
  spend: null,
});
const keep = { outcome: "keep", record: null } as const;

function settlementsOf(refuses: (claimId: string) => boolean) {
  const taken: string[] = [];
  let nowMs = 0;
  const settle = async ({ idempotency }: MeteringRequest): Promise<void> => {
    const id = idempotency?.claimId ?? "";
    if (refuses(id)) throw new Error("away");
    taken.push(id);
  };
  const settlements = createSettlements({ settle }, silentLogger(), () => nowMs);
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { settlements, taken, pass };
}

test("sends a settlement again if Redis did not accept it, and drops it once it was accepted", async () => {
  let isAway = true;
  const { settlements, taken } = settlementsOf(() => isAway);
  settlements.settle(request("a"), keep);
  await settlements.close();
  expect([settlements.owed(), taken]).toEqual([1, []]);
  isAway = false;
  await settlements.close();
  expect([settlements.owed(), taken]).toEqual([0, ["a"]]);
});

test("settles other claims while Redis rejects one of them", async () => {
  let isAway = true;
  const { settlements, taken } = settlementsOf((id) => isAway || id === "bad");
  for (const id of ["bad", "a", "b"]) settlements.settle(request(id), keep);
  await settlements.close();
  isAway = false;
  await settlements.close();
  expect([settlements.owed(), taken]).toEqual([1, ["a", "b"]]);
});

test("remembers at most 5,000 settlements, and drops the oldest ones beyond that", async () => {
  const { settlements } = settlementsOf(() => true);
  for (let n = 0; n < 5_000; n += 1) settlements.settle(request(`${n}`), keep);
  await new Promise((resolve) => setImmediate(resolve));
  expect(settlements.owed()).toBe(5_000);
  settlements.settle(request("one more"), keep);
  await new Promise((resolve) => setImmediate(resolve));
  expect(settlements.owed()).toBe(5_000);
});

test("forgets a settlement after ten minutes", async () => {
  const { settlements, pass } = settlementsOf(() => true);
  settlements.settle(request("a"), keep);
  pass(599_999);
  await settlements.close();
  expect(settlements.owed()).toBe(1);
  pass(1);
  await settlements.close();
  expect(settlements.owed()).toBe(0);
});
