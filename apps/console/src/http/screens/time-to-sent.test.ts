import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import { timeToSent } from "./time-to-sent.ts";

const hourMs = 3_600_000;
const start = Date.UTC(2026, 2, 1, 10);
const delivery = (acceptedMs: number, tookMs: number, status = "sent") => ({
  status,
  createdAt: timestampFromMs(acceptedMs),
  finishedAt: timestampFromMs(acceptedMs + tookMs),
});

it("computes p50 and p95 of the deliveries that were sent in each hour", () => {
  const first = Array.from({ length: 20 }, (_, index) => delivery(start + index, (index + 1) * 100));
  expect(timeToSent([delivery(start + hourMs, 7), ...first], new Date(start))).toEqual([
    {
      name: "p50",
      points: [
        { x: new Date(start), y: 1_000 },
        { x: new Date(start + hourMs), y: 7 },
      ],
    },
    {
      name: "p95",
      points: [
        { x: new Date(start), y: 1_900 },
        { x: new Date(start + hourMs), y: 7 },
      ],
    },
  ]);
});

it("omits deliveries that failed, are waiting, or were accepted too early", () => {
  const waiting = { status: "pending", createdAt: timestampFromMs(start), finishedAt: undefined };
  expect(timeToSent([delivery(start, 5, "failed"), waiting, delivery(start - 1, 5)], new Date(start))).toEqual([
    { name: "p50", points: [] },
    { name: "p95", points: [] },
  ]);
});
