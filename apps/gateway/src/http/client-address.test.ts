import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { createClientAddress } from "./client-address.ts";

const request = (peer: string, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress: peer },
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
  }) as unknown as IncomingMessage;

describe("the address a request came from", () => {
  test("spoofed X-Forwarded-For: a peer that is no trusted proxy speaks for itself only", () => {
    expect(createClientAddress([])(request("203.0.113.9", "10.0.0.1"))).toBe("203.0.113.9");
    expect(createClientAddress(["10.0.0.0/8"])(request("203.0.113.9", "198.51.100.1"))).toBe("203.0.113.9");
  });

  test("behind trusted proxies it is the nearest hop that is none of them, not what the client wrote before", () => {
    const address = createClientAddress(["10.0.0.0/8"]);
    expect(address(request("10.0.0.2", "1.1.1.1, 198.51.100.7, 10.0.0.9"))).toBe("198.51.100.7");
    expect(address(request("::ffff:10.0.0.2", "198.51.100.7"))).toBe("198.51.100.7");
  });

  test("a trusted proxy that names nobody is the source itself", () => {
    expect(createClientAddress(["10.0.0.0/8"])(request("10.0.0.2"))).toBe("10.0.0.2");
  });

  test("a range that is none stops the gateway at start", () => {
    expect(() => createClientAddress(["proxy.local"])).toThrow(/TRUSTED_PROXIES/);
  });
});
