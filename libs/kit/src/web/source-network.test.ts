import { describe, expect, it } from "vitest";
import { sourceNetwork } from "./source-network.ts";

describe("sourceNetwork", () => {
  it.each([
    ["2001:db8:1:2::1", "2001:db8:1:2"],
    ["2001:0db8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["::1", "0:0:0:0"],
  ])("maps the IPv6 address %s to its /64", (address, network) => {
    expect(sourceNetwork(address)).toBe(network);
  });

  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["unknown", "unknown"],
  ])("maps %s to %s", (address, network) => {
    expect(sourceNetwork(address)).toBe(network);
  });
});
