import { describe, expect, it } from "vitest";
import { emailHint, tokenHint } from "./address-hint.ts";

describe("the hint of an address", () => {
  it("keeps the first character and the domain of an email address", () => {
    expect(emailHint("ann.lee@people.example")).toBe("a***@people.example");
    expect(emailHint("😀x@people.example")).toBe("😀***@people.example");
    expect(emailHint('"abc..def"@people.example')).toBe("a***@people.example");
  });

  it("hides all of a text that is not an email address", () => {
    expect(emailHint("nobody")).toBe("***");
    expect(emailHint("@people.example")).toBe("***");
  });

  it("keeps the last four characters of a token", () => {
    expect(tokenHint("fcm-0123456789abcdef")).toBe("…cdef");
  });
});
