import type { Request, Response } from "express";
import { expect, it } from "vitest";
import { createNetworkLimit } from "./network-limit.ts";

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } }) as unknown as Request;
const replies: Record<string, string> = {};
const response = { set: (name: string, value: string) => (replies[name] = value) } as unknown as Response;

it("rejects the request beyond the limit of a network with 429 and Retry-After, and admits it in the next minute", () => {
  let nowMs = 0;
  const limit = createNetworkLimit([], 3, () => nowMs);
  const ask = (address: string) => () => limit(from(address), response);
  for (let sent = 0; sent < 3; sent += 1) expect(ask("192.0.2.1")).not.toThrow();
  nowMs = 20_000;
  expect(ask("192.0.2.1")).toThrow(expect.objectContaining({ status: 429 }));
  expect(replies["retry-after"]).toBe("40");
  expect(ask("192.0.2.2")).not.toThrow();
  nowMs = 60_000;
  expect(ask("192.0.2.1")).not.toThrow();
});

it("counts the addresses of one IPv6 host together", () => {
  const limit = createNetworkLimit([], 1);
  limit(from("2001:db8:1:2::1"), response);
  expect(() => limit(from("2001:db8:1:2:ffff::9"), response)).toThrow(expect.objectContaining({ status: 429 }));
  expect(() => limit(from("2001:db8:1:3::1"), response)).not.toThrow();
});

it("does not let one visitor lock out everyone behind an unconfigured proxy", () => {
  const limit = createNetworkLimit(null, 1);
  for (let sent = 0; sent < 5; sent += 1) expect(() => limit(from("10.0.0.1", "203.0.113.9"), response)).not.toThrow();
});

it("does not let one visitor lock out everyone behind a proxy that adds ports to addresses", () => {
  const limit = createNetworkLimit(["10.0.0.1"], 1);
  limit(from("10.0.0.1", "203.0.113.9:4711"), response);
  expect(() => limit(from("10.0.0.1", "203.0.113.9:4712"), response)).toThrow(expect.objectContaining({ status: 429 }));
  expect(() => limit(from("10.0.0.1", "203.0.113.10:4711"), response)).not.toThrow();
});

it("limits a visitor who sends a forged X-Forwarded-For without a proxy (evaded limit)", () => {
  const limit = createNetworkLimit(null, 1);
  limit(from("203.0.113.9", "192.0.2.1"), response);
  expect(() => limit(from("203.0.113.9", "192.0.2.2"), response)).toThrow(expect.objectContaining({ status: 429 }));
});
