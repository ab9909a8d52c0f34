import { randomBytes } from "node:crypto";
import { newId } from "@platform/kit/process/secrets";
import { describe, expect, it } from "vitest";
import { createBounceAddresses } from "./bounce-addresses.ts";

const key = randomBytes(32);
const addresses = createBounceAddresses({ current: key, previous: [] });
const id = newId();
const address = addresses.of(id, "Bounces.Shop.example") ?? "";

/** The address with one character of a part replaced. */
const forged = (at: number): string => {
  const other = address[at] === "0" ? "1" : "0";
  return address.slice(0, at) + other + address.slice(at + 1);
};

describe("a return path", () => {
  it("finds the delivery of a return path, even if a mail server changes its case", () => {
    expect(address).toMatch(/^b-[0-9a-f]{32}-[0-9a-f]{24}@bounces\.shop\.example$/);
    expect(addresses.deliveryOf(address)).toBe(id);
    expect(addresses.deliveryOf(address.toUpperCase())).toBe(id);
  });

  it("creates a local part of at most 64 octets, which every mail server accepts", () => {
    expect(address.split("@")[0]?.length).toBeLessThanOrEqual(64);
  });

  it.each([
    ["another delivery", forged(5)],
    ["another code", forged(40)],
    ["another last character of the code", forged(address.indexOf("@") - 1)],
    ["another domain", address.replace("@bounces", "@other")],
    ["a code that is cut off", address.replace(/.@/, "@")],
    ["something in front of it", `x${address}`],
    ["a source route", `@relay.example:${address}`],
    ["nothing of it", "postmaster@bounces.shop.example"],
  ])("finds no delivery for a return path with %s (forged bounces)", (_what, text) => {
    expect(addresses.deliveryOf(text)).toBeNull();
  });

  it("accepts a return path of a previous key, and refuses one of a foreign key", () => {
    const next = randomBytes(32);
    expect(createBounceAddresses({ current: next, previous: [key] }).deliveryOf(address)).toBe(id);
    expect(createBounceAddresses({ current: next, previous: [] }).deliveryOf(address)).toBeNull();
  });

  it("finds a return path in a text, after others that are not valid", () => {
    expect(addresses.deliveryIn(`<${forged(5)}> <${address}>\r\n`)).toBe(id);
    expect(addresses.deliveryIn(`<${forged(5)}>`)).toBeNull();
  });

  it("creates return paths only for deliveries", () => {
    expect(addresses.of(`${id}.1`, "bounces.shop.example")).toBeNull();
  });
});
