import { expect, it } from "vitest";
import { coloursOf } from "./series-colours.ts";

it("gives what failed the colour of failures, and what succeeded that of successes", () => {
  expect(coloursOf(["failed", "sent"])).toEqual(["var(--tblr-red)", "var(--tblr-green)"]);
  expect(coloursOf(["refused", "requests"])).toEqual(["var(--tblr-red)", "var(--tblr-blue)"]);
  expect(coloursOf(["2xx", "4xx", "5xx"])).toEqual(["var(--tblr-green)", "var(--tblr-orange)", "var(--tblr-red)"]);
});

it("tells several series of one tone apart", () => {
  const names = ["email failed", "email sent", "fcm failed", "fcm sent"];
  const colours = coloursOf(names);
  expect(new Set(colours).size).toBe(names.length);
  expect(colours[2]).toBe("var(--tblr-pink)");
});

it("reads a state of several words before its words", () => {
  expect(coloursOf(["not_verified"])).toEqual(["var(--tblr-orange)"]);
});
