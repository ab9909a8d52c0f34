import { describe, expect, it } from "vitest";
import { readStatusRange } from "./request-line.ts";

describe("readStatusRange", () => {
  it("reads a class such as 4xx as the range of its hundred statuses", () => {
    expect(readStatusRange("4xx")).toEqual({ least: 400, most: 499 });
  });

  it("reads a single status as a range with only that status", () => {
    expect(readStatusRange("404")).toEqual({ least: 404, most: 404 });
  });

  it.each(["", "6xx", "099", "600", "4XX", "40", "4040", " 404"])(
    "returns null for %j, which is neither a status nor a class",
    (text) => {
      expect(readStatusRange(text)).toBeNull();
    },
  );
});
