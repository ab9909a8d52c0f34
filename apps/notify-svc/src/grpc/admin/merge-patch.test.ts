import { expect, it } from "vitest";
import { mergePatch } from "./merge-patch.ts";

it("replaces, merges and removes members as specified by RFC 7396", () => {
  const target = { from: "a@b.example", dkim: { domain: "b.example", selector: "s1" }, reply_to: "c@b.example" };
  const patch = { dkim: { selector: "s2" }, reply_to: null, smtp_url: "smtp://x" };
  expect(mergePatch(target, patch)).toEqual({
    from: "a@b.example",
    dkim: { domain: "b.example", selector: "s2" },
    smtp_url: "smtp://x",
  });
});

it("treats a member named __proto__ as data", () => {
  const merged = mergePatch({}, JSON.parse('{"__proto__":{"isAdmin":true}}'));
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});
