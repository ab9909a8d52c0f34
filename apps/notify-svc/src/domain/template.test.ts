import { describe, expect, it } from "vitest";
import { localeCandidates, templateDigest, templateId, variableViolations } from "./template.ts";

describe("localeCandidates", () => {
  it.each([
    ["en", null, ["en"]],
    ["en-US", "ja", ["en-us", "en", "ja"]],
    ["zh-Hant-TW", null, ["zh-hant-tw", "zh-hant", "zh"]],
    ["pt_BR", "pt", ["pt-br", "pt"]],
    ["xx", "ja-JP", ["xx", "ja-jp", "ja"]],
  ])("lists the locales to try for %s with default %s", (requested, fallback, expected) => {
    expect(localeCandidates(requested, fallback)).toEqual(expected);
  });

  it("finds a template regardless of the case and separator of its locale", () => {
    expect(templateId("k", "email", "en_US")).toBe(templateId("k", "email", localeCandidates("EN-us", null)[0] ?? ""));
  });
});

describe("variableViolations", () => {
  const declared = { name: "string", count: "integer", price: "number" } as const;

  it("reports no violation for exactly the declared variables", () => {
    expect(variableViolations(declared, { name: "", count: 2, price: 1.5 })).toEqual([]);
  });

  it("reports missing, mistyped and unknown variables", () => {
    const given = JSON.parse('{"count":1.5,"price":"1","a/b~c":1,"__proto__":"x"}') as Record<string, unknown>;
    expect(variableViolations(declared, given).map(({ path, code }) => [path, code])).toEqual([
      ["/variables/name", "required"],
      ["/variables/count", "invalid_type"],
      ["/variables/price", "invalid_type"],
      ["/variables/a~1b~0c", "unknown_property"],
      ["/variables/__proto__", "unknown_property"],
    ]);
  });
});

describe("templateDigest", () => {
  it("does not depend on the order of variables", () => {
    const template = {
      key: "k",
      channel: "fcm",
      locale: "en",
      subject: "s",
      text: "t",
      html: null,
      push: null,
      mail: null,
    } as const;
    expect(templateDigest({ ...template, variables: { a: "string", b: "number" } })).toBe(
      templateDigest({ ...template, variables: { b: "number", a: "string" } }),
    );
  });
});
