import { describe, expect, test } from "vitest";
import { brandColourProblem, brandLinkProblem, brandLogoProblem, contrastWithWhite } from "./brand.ts";

describe("a brand's colour", () => {
  test("measures contrast as WCAG does", () => {
    expect(contrastWithWhite("#000000")).toBeCloseTo(21, 5);
    expect(contrastWithWhite("#ffffff")).toBeCloseTo(1, 5);
    expect(contrastWithWhite("#777777")).toBeCloseTo(4.48, 2);
  });

  test.each([
    ["#1d4ed8", null],
    ["#767676", null],
    ["#777777", "has a contrast of 4.5 with white text"],
    ["#ffd700", "has a contrast of 1.4 with white text"],
    ["#1D4ED8", "must be #rrggbb"],
    ["#123", "must be #rrggbb"],
    ["red", "must be #rrggbb"],
    ["#1d4ed8;}body{", "must be #rrggbb"],
  ])("checks the colour %s and returns the problem %s", (colour, problem) => {
    if (problem === null) expect(brandColourProblem(colour)).toBeNull();
    else expect(brandColourProblem(colour)).toContain(problem);
  });
});

test.each([
  ["https://shop.example/terms?lang=de#top", null],
  [`https://shop.example/${"x".repeat(2048 - 21)}`, null],
  [`https://shop.example/${"x".repeat(2049 - 21)}`, "is longer than 2048 characters"],
  ["http://shop.example/terms", "must be https"],
  ["javascript:alert(1)", "must be https"],
  ["https://a:b@shop.example/", "must not carry userinfo"],
  ["https://SHOP.example/terms", "must be written as https://shop.example/terms"],
  ["/terms", "is not an absolute URL"],
])("accepts or rejects the link %s of a brand: %s", (link, problem) => {
  expect(brandLinkProblem(link)).toBe(problem);
});

describe("a brand's logo", () => {
  const base = "https://platform.example";

  test("accepts a Public Asset of the platform as a logo", () => {
    expect(brandLogoProblem(`${base}/api/v1/public-assets/0a/1.webp`, base)).toBeNull();
  });

  test.each([
    ["another host", "https://evil.example/api/v1/public-assets/0a/1.webp"],
    ["a host that begins alike", `${base}.evil.example/api/v1/public-assets/0a`],
    ["another path", `${base}/api/v1/file-downloads/0a`],
    ["a path that leads out", `${base}/api/v1/public-assets/../identity-migration/sign-out`],
    ["a query", `${base}/api/v1/public-assets/0a?x=1`],
  ])("rejects a logo from %s", (_name, url) => {
    expect(brandLogoProblem(url, base)).toContain("must be the url of a Public Asset");
  });
});
