import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { defined } from "../process/defined.ts";
import { createClientAddress } from "./client-address.ts";

const request = (peer: string, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress: peer },
    headers: defined({ "x-forwarded-for": forwarded }),
  }) as unknown as IncomingMessage;
const proxies = ["10.0.0.0/24", "2001:db8:ffff::/48"];
const addressOf = (peer: string, forwarded?: string): string =>
  createClientAddress(proxies)(request(peer, forwarded)).address;

describe("behind trusted proxies", () => {
  test.each([
    ["198.51.100.7", "198.51.100.7"],
    ["1.1.1.1, 198.51.100.7, 10.0.0.9", "198.51.100.7"],
    ["198.51.100.7:4711", "198.51.100.7"],
    ["2001:db8::1", "2001:db8::1"],
    ["2001:0DB8:0:0::1", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["[2001:db8::1]:4711", "2001:db8::1"],
    ['"[2001:db8::1]:4711"', "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["::ffff:198.51.100.7", "198.51.100.7"],
    ["::ffff:c633:6407", "198.51.100.7"],
    ["198.51.100.7, 2001:db8:ffff::2", "198.51.100.7"],
    ["198.51.100.7, [2001:db8:ffff::2]:443, 10.0.0.9:8080", "198.51.100.7"],
  ])("reads %j as %s, which is the nearest hop that is not a proxy", (forwarded, address) => {
    expect(createClientAddress(proxies)(request("10.0.0.2", forwarded))).toEqual({ address, isShared: false });
  });

  test.each([
    "unknown",
    "_hidden",
    "",
    "127.1",
    "0x7f000001",
    "198.51.100.7:port",
    "999.1.1.1",
    "[198.51.100.7",
    "2001:db8:::1",
  ])("stops at the unreadable hop %j and ignores all earlier ones (spoofed X-Forwarded-For)", (hop) => {
    const { address, isShared } = createClientAddress(proxies)(request("10.0.0.2", `203.0.113.66, ${hop}, 10.0.0.9`));
    expect([address, isShared]).toEqual(["10.0.0.9", true]);
  });

  test("marks a source as shared if its proxy does not name a client", () => {
    expect(createClientAddress(proxies)(request("10.0.0.2"))).toEqual({ address: "10.0.0.2", isShared: true });
    expect(addressOf("::ffff:10.0.0.2", "198.51.100.7")).toBe("198.51.100.7");
  });
});

describe("a peer that is no trusted proxy", () => {
  test("ignores a spoofed X-Forwarded-For of an untrusted peer", () => {
    expect(createClientAddress(null)(request("203.0.113.9", "10.0.0.1"))).toEqual({
      address: "203.0.113.9",
      isShared: false,
    });
    expect(addressOf("203.0.113.9", "198.51.100.1")).toBe("203.0.113.9");
  });

  test("marks a private peer that forwards requests as shared if no proxies are configured", () => {
    for (const peer of ["127.0.0.1", "10.1.2.3", "192.168.0.2", "::1", "fd00::1", "::ffff:172.16.0.1"])
      expect(createClientAddress(null)(request(peer, "198.51.100.1")).isShared, peer).toBe(true);
    expect(createClientAddress(null)(request("127.0.0.1")).isShared).toBe(false);
    expect(createClientAddress(proxies)(request("127.0.0.1", "198.51.100.1")).isShared).toBe(false);
    expect(createClientAddress([])(request("127.0.0.1", "198.51.100.1")).isShared).toBe(false);
  });

  test("reports an untrusted peer that forwards requests only once", () => {
    const reported: string[] = [];
    const find = createClientAddress(proxies, (peer) => reported.push(peer));
    find(request("10.0.0.2", "198.51.100.1"));
    find(request("203.0.113.9"));
    for (let count = 0; count < 3; count += 1) find(request("203.0.113.9", "198.51.100.1"));
    expect(reported).toEqual(["203.0.113.9"]);
  });
});

test.each(["proxy.local", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/x", "2001:db8::/129", "1.2.3"])(
  "refuses to start with %j as a trusted proxy",
  (entry) => {
    expect(() => createClientAddress([entry])).toThrow(/TRUSTED_PROXIES/);
  },
);
