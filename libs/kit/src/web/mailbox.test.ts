import { describe, expect, it } from "vitest";
import { needsSmtpUtf8, readMailbox } from "./mailbox.ts";

describe("reading a sender", () => {
  it.each([
    ["news@s.example", "", "news@s.example"],
    ["<news@s.example>", "", "news@s.example"],
    ["Acme: News <news@s.example>", "Acme: News", "news@s.example"],
    ['5" Pizza <pizza@s.example>', '5" Pizza', "pizza@s.example"],
    ["News; daily <news@s.example>", "News; daily", "news@s.example"],
    ["Shop, Inc. <shop@s.example>", "Shop, Inc.", "shop@s.example"],
    ["I <3 shops <shop@s.example>", "I <3 shops", "shop@s.example"],
    ["Ann <ann@other.example> <shop@s.example>", "Ann <ann@other.example>", "shop@s.example"],
    ['"Shop, Inc." <shop@s.example>', "Shop, Inc.", "shop@s.example"],
    ['"5\\" \\\\ Pizza" <shop@s.example>', '5" \\ Pizza', "shop@s.example"],
    ['Shop <"a b@c"@s.example>', "Shop", '"a b@c"@s.example'],
    ["店 <shop@s.example>", "店", "shop@s.example"],
    ["Shop <shop@bücher.example>", "Shop", "shop@xn--bcher-kva.example"],
    ["Shop <店@bücher.example>", "Shop", "店@bücher.example"],
    ["root@localhost", "", "root@localhost"],
  ])("reads %s as a single mailbox", (text, name, address) => {
    expect(readMailbox(text)).toEqual({ name, address });
  });

  it.each([
    "",
    "Shop",
    "Shop <>",
    "Shop <shop>",
    "a@s.example, b@s.example",
    "a@s.example b@s.example",
    "Shop: a@s.example;",
    "Shop <a@s.example> trailing",
    "Shop\r\nBcc: all@s.example <a@s.example>",
    "Shop\u2028x <a@s.example>",
    "Shop <a@s..example>",
    'Shop <"a>b"@s.example>',
  ])("refuses %j", (text) => {
    expect(readMailbox(text)).toBeNull();
  });
});

describe("SMTPUTF8", () => {
  it.each([
    ["ann@bücher.example", false],
    ["änn@s.example", true],
    ['"ä b"@s.example', true],
    ["nobody", false],
  ])("returns whether %s needs SMTPUTF8: %s", (address, needs) => {
    expect(needsSmtpUtf8(address)).toBe(needs);
  });
});
