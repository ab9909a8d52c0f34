import { describe, expect, test } from "vitest";
import { checkOutboundUrl } from "./check-outbound-url.ts";
import { OutboundRefused, outboundPolicyOf, parseOutboundAllow } from "./outbound-policy.ts";

const production = outboundPolicyOf("production", []);
const development = outboundPolicyOf("development", []);
const nowhere = () => Promise.reject(new Error("ENOTFOUND"));
const resolvesTo = (address: string) => async () => [{ address, family: address.includes(":") ? 6 : 4 }];

async function reasonOf(call: Promise<void>): Promise<string | null> {
  return call.then(
    () => null,
    (error: unknown) => (error instanceof OutboundRefused ? error.reason : String(error)),
  );
}

/** Server-side request forgery (OWASP API7): every way of writing an inner address. */
describe("an inner address is refused in whatever form it is written", () => {
  const hosts = [
    "127.0.0.1", "127.1", "0x7f000001", "2130706433", "017700000001", "0.0.0.0", "10.0.0.1", "0xa.0.0.1", "100.64.0.1", "169.254.169.254",
    "2852039166", "172.16.0.1", "172.31.255.255", "192.168.1.1", "192.0.0.1", "192.88.99.1", "198.18.0.1", "203.0.113.5", "224.0.0.1",
    "255.255.255.255", "[::]", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:8.8.8.8]", "[::ffff:0:10.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::1]",
    "[2002:7f00:1::]", "[2001::1]", "[2001:db8::1]", "[fc00::1]", "[fd00:ec2::254]", "[fe80::1]", "[ff02::1]", "127.0.0.1.",
  ]; // biome-ignore format: a list
  test.each(hosts)("%s", async (host) => {
    expect(await reasonOf(checkOutboundUrl(`https://${host}/hook`, production, nowhere))).toBe("address_not_allowed");
  });
  test.each(["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00::1", "::ffff:10.0.0.1"])(
    "a name that resolves to %s",
    async (address) => {
      expect(await reasonOf(checkOutboundUrl("https://hook.example/", production, resolvesTo(address)))).toBe(
        "address_not_allowed",
      );
    },
  );
});

describe("checkOutboundUrl", () => {
  test.each([
    ["https://8.8.8.8/hook", null],
    ["https://[2606:4700::1111]:8443/hook", null],
    ["https://hook.example/", null],
    ["http://8.8.8.8/hook", "scheme_not_allowed"],
    ["http://hook.example/", "scheme_not_allowed"],
    ["ftp://8.8.8.8/", "scheme_not_allowed"],
    ["https://user:secret@8.8.8.8/", "credentials_in_url"],
    ["https://user@8.8.8.8/", "credentials_in_url"],
    ["https://8.8.8.8:8080/", "port_not_allowed"],
    ["https://hook.example:22/", "port_not_allowed"],
    ["not a url", "url_malformed"],
  ])("outside development and sandbox %s gives %s", async (url, reason) => {
    expect(await reasonOf(checkOutboundUrl(url, production, nowhere))).toBe(reason);
  });

  test.each([
    ["http://127.0.0.1:3000/hook", null],
    ["https://[::1]:3000/hook", null],
    ["https://10.0.0.1/", "address_not_allowed"],
    ["http://8.8.8.8/", "scheme_not_allowed"],
    ["https://169.254.169.254/", "address_not_allowed"],
  ])("in development %s gives %s", async (url, reason) => {
    expect(await reasonOf(checkOutboundUrl(url, development, nowhere))).toBe(reason);
  });

  test("a name whose servers keep silent is one that does not resolve, and the caller is not kept waiting", async () => {
    const silent = () => new Promise<never>(() => {});
    expect(await reasonOf(checkOutboundUrl("https://hook.example/", production, silent, 5))).toBeNull();
    expect(await reasonOf(checkOutboundUrl("http://hook.example/", production, silent, 5))).toBe("scheme_not_allowed");
  });

  test("a name that resolves to loopback may be called over http in sandbox", async () => {
    const sandbox = outboundPolicyOf("sandbox", []);
    expect(await reasonOf(checkOutboundUrl("http://localhost:9/", sandbox, resolvesTo("127.0.0.1")))).toBeNull();
  });

  test("what the operator allows may be called anywhere, over http and on any port", async () => {
    const policy = outboundPolicyOf("production", parseOutboundAllow("10.2.0.0/16, fd00::7"));
    expect(await reasonOf(checkOutboundUrl("http://10.2.3.4:8080/", policy))).toBeNull();
    expect(await reasonOf(checkOutboundUrl("https://[fd00::7]/", policy))).toBeNull();
    expect(await reasonOf(checkOutboundUrl("https://10.3.0.1/", policy))).toBe("address_not_allowed");
  });

  test("an allowance that is no address is refused at start", () => {
    expect(() => parseOutboundAllow("internal.example")).toThrow();
  });
});
