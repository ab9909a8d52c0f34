import { operationList } from "@platform/contracts/operations";
import { expect, test } from "vitest";
import { keptBytesMax } from "../redis/idempotency-record.ts";
import { createReplayRetention, pressedReplayMs, strangersReplayMs } from "./replay-retention.ts";

const keptMs = 86_400_000;
const fingerprint = "f".repeat(64);
const operation = (id: string) => {
  const found = operationList.find((one) => one.id === id);
  if (found === undefined) throw new Error(id);
  return found;
};
const client = {
  id: "client",
  name: "",
  environment: "",
  scopes: [],
  credentialId: "",
  credentialOwner: "",
  isDisabled: false,
  successRatio: null,
  quotaLimits: {},
};

function retentionOf(options: Partial<Parameters<typeof createReplayRetention>[0]> = {}) {
  const retention = createReplayRetention({
    keptMs,
    isMemoryShort: () => false,
    isMemoryHalfFull: () => false,
    ...options,
  });
  const idempotency = { key: "key", fingerprint };
  return {
    ofSource: (source: string) =>
      retention.recordOf(
        { operation: operation("edge.noop"), client: null, source, idempotency },
        { status: 202, body: "{}" },
      )?.ms,
    ofClient: (id: string, body: string) =>
      retention.recordOf({ operation: operation(id), client, source: "", idempotency }, { status: 200, body }),
  };
}
const times = <T>(count: number, work: () => T): T[] => Array.from({ length: count }, work);

test("retains outcomes of a source up to its share for a day and further ones for a minute, independently of other sources", () => {
  const { ofSource } = retentionOf({ perSource: 3 });
  const day = [keptMs, keptMs, keptMs];
  expect(times(5, () => ofSource("198.51.100.1"))).toEqual([...day, pressedReplayMs, pressedReplayMs]);
  expect(times(3, () => ofSource("198.51.100.2"))).toEqual(day);
});

test("counts a host that uses a whole /64 as one source", () => {
  const { ofSource } = retentionOf({ perSource: 1 });
  expect(ofSource("2001:db8::1")).toBe(keptMs);
  expect(ofSource("2001:db8::2")).toBe(pressedReplayMs);
});

test("limits how many outcomes of all sources together are retained for a day", () => {
  const { ofSource } = retentionOf({ perSource: 3, inAll: 10 });
  const kept = Array.from({ length: 20 }, (_, host) => ofSource(`198.51.100.${host}`));
  expect(kept.filter((ms) => ms === keptMs)).toHaveLength(10);
});

test("starts new shares each day", () => {
  let nowMs = 0;
  const { ofSource } = retentionOf({ perSource: 1, now: () => nowMs });
  expect(times(2, () => ofSource("198.51.100.1"))).toEqual([keptMs, pressedReplayMs]);
  nowMs += 86_400_000;
  expect(times(2, () => ofSource("198.51.100.1"))).toEqual([keptMs, pressedReplayMs]);
});

test("retains a response of 4 KiB in full, and only a marker for a longer one", () => {
  const { ofClient } = retentionOf();
  const id = "events.publishDomainEvent";
  const whole = "é".repeat(keptBytesMax / 2);
  expect(ofClient(id, whole)).toEqual({ text: `D${fingerprint}200${whole}`, ms: keptMs });
  expect(ofClient(id, `${whole}x`)).toEqual({ text: `S${fingerprint}`, ms: keptMs });
});

test("retains no response that contains a secret", () => {
  expect(retentionOf().ofClient("files.createUploadGrant", "{}")?.text).toBe(`S${fingerprint}`);
});

test("retains only markers, for a minute, while memory is short, except responses that no service can repeat", () => {
  const { ofClient } = retentionOf({ isMemoryShort: () => true });
  expect(ofClient("events.publishDomainEvent", "{}")).toEqual({ text: `S${fingerprint}`, ms: pressedReplayMs });
  expect(ofClient("edge.noop", "{}")).toEqual({ text: `D${fingerprint}200{}`, ms: pressedReplayMs });
});

test("retains outcomes of requests without a credential for a second while Redis is half full (full Redis)", () => {
  const { ofSource, ofClient } = retentionOf({ isMemoryHalfFull: () => true });
  expect(ofSource("198.51.100.1")).toBe(strangersReplayMs);
  expect(ofClient("events.publishDomainEvent", "{}")).toMatchObject({ ms: keptMs });
});
