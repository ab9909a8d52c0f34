import { expect, it } from "vitest";
import { coloursOf } from "./series-colours.ts";

it("uses the failure colour for failures, and the success colour for successes", () => {
  expect(coloursOf(["failed", "sent"])).toEqual(["var(--tblr-red)", "var(--tblr-green)"]);
  expect(coloursOf(["refused", "requests"])).toEqual(["var(--tblr-red)", "var(--tblr-blue)"]);
  expect(coloursOf(["2xx", "4xx", "5xx"])).toEqual(["var(--tblr-green)", "var(--tblr-orange)", "var(--tblr-red)"]);
});

it("uses different shades for several series of one tone", () => {
  const names = ["email failed", "email sent", "fcm failed", "fcm sent"];
  const colours = coloursOf(names);
  expect(new Set(colours).size).toBe(names.length);
  expect(colours[2]).toBe("var(--tblr-pink)");
});

it("prefers the tone of a state with several words to the tone of its last word", () => {
  expect(coloursOf(["not_verified"])).toEqual(["var(--tblr-orange)"]);
});
