import { expect, test } from "vitest";
import { rowLines } from "../report.ts";
import type { Measured, Work } from "../row.ts";
import { behindNotes, peerChecks, startPeers } from "./peer.ts";

const unit = "requests/s";
const samplesOf = (perSecond: number): Measured["samples"] => [
  { count: 1, perSecond, p50Ms: 1, p99Ms: 2, maxMs: 3, refusals: {} },
];
const ours: Measured = { name: "gateway", role: "ours", unit, samples: samplesOf(1_000) };
const peer = (name: string, perSecond: number, work: Work): Measured => ({
  ...{ name, work, role: "peer", unit, samples: samplesOf(perSecond) },
});
const measured = [ours, peer("nginx", 4_000, "leaves out a shared limit"), peer("Spring", 500, "same work")];

test("sets a target only for a peer that does the same work", () => {
  expect(peerChecks(measured, "gateway")).toEqual([
    { text: "gateway / nginx", value: "0.25 ×", met: null },
    { text: "gateway / Spring ≥ 1", value: "2.00 ×", met: true },
  ]);
  const [behind] = peerChecks([ours, peer("Spring", 1_001, "same work")], "gateway");
  expect(behind?.met).toBe(false);
  const [equal] = peerChecks([ours, peer("Spring", 1_000, "same work")], "gateway");
  expect(equal?.met).toBe(true);
});

test("names every peer that is ahead, with what it leaves out", () => {
  expect(behindNotes(measured, "gateway")).toEqual([
    "**behind**: gateway is behind nginx by 4.00 × (leaves out a shared limit).",
  ]);
  expect(behindNotes([ours, peer("Spring", 500, "same work")], "gateway")).toEqual([]);
});

test("prints the work of each peer in its line of the table", () => {
  const lines = rowLines({
    id: "PEERS",
    title: "peers",
    loadBefore: 1,
    measured,
    checks: peerChecks(measured, "gateway"),
    notes: [],
  });
  expect(lines).toContain("| (1) gateway **(ours)** | 1,000 (1,000–1,000) | 1.00 (1.00–1.00) | 2.00 (2.00–2.00) | 0 |");
  expect(lines).toContain(
    "| (2) nginx: leaves out a shared limit | 4,000 (4,000–4,000) | 1.00 (1.00–1.00) | 2.00 (2.00–2.00) | 0 |",
  );
  expect(lines).toContain("| (3) Spring: same work | 500 (500–500) | 1.00 (1.00–1.00) | 2.00 (2.00–2.00) | 0 |");
  expect(lines).toContain("- met: (1) / (3) ≥ 1: 2.00 ×");
});

test("reports which peer cannot be installed, and measures the others", async () => {
  const run = async () => samplesOf(1)[0] as Measured["samples"][number];
  const { contenders, notes } = await startPeers([
    {
      name: "Caddy",
      work: "leaves out the limit",
      start: async () => {
        throw new Error("go could not install it: the command is not installed\nmore");
      },
    },
    { name: "nginx", work: "same work", start: async () => ({ run }) },
  ]);
  expect(contenders.map(({ name }) => name)).toEqual(["nginx"]);
  expect(notes).toEqual(["**not measured**: Caddy. go could not install it: the command is not installed."]);
});
