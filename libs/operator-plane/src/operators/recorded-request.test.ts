import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { withoutAddresses } from "./recorded-request.ts";

const key = Buffer.alloc(32, 1);

describe("a text in the record of operator actions", () => {
  it.each([
    ["asked by ann@people.example.", "asked by address:#."],
    ['asked by "abc..def"@docomo.example today', "asked by address:# today"],
    ['"a@b"@people.example', "address:#"],
    ['"john smith"@people.example', "address:#"],
    [JSON.stringify({ email: "ann@people.example", x: 1 }), '{"email":"address:#","x":1}'],
    [JSON.stringify({ email: '"abc..def"@docomo.example', x: 1 }), '{"email":"address:#","x":1}'],
    [JSON.stringify({ email: '"a\\"b\\\\c"@people.example' }), '{"email":"address:#"}'],
    ["no address", "no address"],
    [JSON.stringify({ a: "x", b: "@", c: "y" }), '{"a":"x","b":"@","c":"y"}'],
  ])("contains no address: %s", (text, expected) => {
    expect(withoutAddresses(text, key).replaceAll(/[0-9a-f]{64}/g, "#")).toBe(expected);
  });

  it("computes one keyed hash for every spelling of an address (dictionary attack)", () => {
    const spellings = ["ann@people.example", "Ann@People.Example", '"ann"@people.example'];
    const hashes = new Set(spellings.map((spelling) => withoutAddresses(spelling, key)));
    expect(hashes.size).toBe(1);
    expect([...hashes][0]).not.toContain(createHash("sha256").update("ann@people.example").digest("hex"));
    expect(hashes).not.toContain(withoutAddresses("ann@people.example", Buffer.alloc(32, 2)));
  });

  it("checks a long text in linear time (regular expression denial of service)", () => {
    const text = JSON.stringify({ html: '<p class="x">'.repeat(100_000) });
    expect(withoutAddresses(text, key)).toBe(text);
  });
});
