import { describe, expect, it } from "vitest";
import { readStatusRange } from "./request-line.ts";

describe("readStatusRange", () => {
  it("reads a class of statuses as its hundred", () => {
    expect(readStatusRange("4xx")).toEqual({ least: 400, most: 499 });
  });

  it("reads one status as a range of one", () => {
    expect(readStatusRange("404")).toEqual({ least: 404, most: 404 });
  });

  it.each(["", "6xx", "099", "600", "4XX", "40", "4040", " 404"])("refuses %j", (text) => {
    expect(readStatusRange(text)).toBeNull();
  });
});
