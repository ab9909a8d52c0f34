import { describe, expect, test } from "vitest";
import { checkOutboundUrl } from "./check-outbound-url.ts";
import { type OutboundPolicy, OutboundRefused, outboundPolicyOf, parseOutboundAllow } from "./outbound-policy.ts";

const production = outboundPolicyOf("production", []);
const development = outboundPolicyOf("development", []);

function reasonOf(url: string, policy: OutboundPolicy): string | null {
  try {
    checkOutboundUrl(url, policy);
    return null;
  } catch (error) {
    return error instanceof OutboundRefused ? error.reason : String(error);
  }
}

/**
 * The attack is server-side request forgery (OWASP API7): an internal address is written in every possible notation.
 */
describe("internal addresses in every notation", () => {
  const hosts = [
    "127.0.0.1", "127.1", "0x7f000001", "2130706433", "017700000001", "0.0.0.0", "10.0.0.1", "0xa.0.0.1", "100.64.0.1", "169.254.169.254",
    "2852039166", "172.16.0.1", "172.31.255.255", "192.168.1.1", "192.0.0.1", "192.88.99.1", "198.18.0.1", "203.0.113.5", "224.0.0.1",
    "255.255.255.255", "[::]", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:8.8.8.8]", "[::ffff:0:10.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::1]",
    "[2002:7f00:1::]", "[2001::1]", "[2001:db8::1]", "[fc00::1]", "[fd00:ec2::254]", "[fe80::1]", "[ff02::1]", "127.0.0.1.",
  ]; // biome-ignore format: a list
  test.each(hosts)("refuses the internal address %s", (host) => {
    expect(reasonOf(`https://${host}/hook`, production)).toBe("address_not_allowed");
  });
  test.each(["localhost", "localhost.", "LOCALHOST", "api.localhost", "a.b.localhost.", "loc%61lhost"])(
    "refuses %s, which is always loopback by its name",
    (host) => {
      expect(reasonOf(`https://${host}/hook`, production)).toBe("address_not_allowed");
      expect(reasonOf(`http://${host}:3000/hook`, development)).toBeNull();
    },
  );
});

test.each(["localhost.example", "notlocalhost", "inner.corp.example", "not-there.corp.example"])(
  "accepts the name %s without resolving it",
  (host) => {
    expect(reasonOf(`https://${host}/hook`, production)).toBeNull();
  },
);

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
  ])("checks %s outside of development and sandbox, with the result %s", (url, reason) => {
    expect(reasonOf(url, production)).toBe(reason);
  });

  test.each([
    ["http://127.0.0.1:3000/hook", null],
    ["https://[::1]:3000/hook", null],
    ["https://10.0.0.1/", "address_not_allowed"],
    ["http://8.8.8.8/", "scheme_not_allowed"],
    ["https://169.254.169.254/", "address_not_allowed"],
  ])("checks %s in development, with the result %s", (url, reason) => {
    expect(reasonOf(url, development)).toBe(reason);
  });

  test("allows the addresses of OUTBOUND_ALLOW in any environment, over http and on any port", () => {
    const policy = outboundPolicyOf("production", parseOutboundAllow("10.2.0.0/16, fd00::7"));
    expect(reasonOf("http://10.2.3.4:8080/", policy)).toBeNull();
    expect(reasonOf("https://[fd00::7]/", policy)).toBeNull();
    expect(reasonOf("https://10.3.0.1/", policy)).toBe("address_not_allowed");
    expect(reasonOf("http://may-lead-there.example:8080/", policy)).toBeNull();
  });

  test("refuses to start if an entry of OUTBOUND_ALLOW is not an address", () => {
    expect(() => parseOutboundAllow("internal.example")).toThrow();
  });
});
