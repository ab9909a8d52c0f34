import { expect, it } from "vitest";
import { backLengthMax, nextPage, type PagePlace, previousPage } from "./page-place.ts";

const first: PagePlace = { cursor: "", back: "" };
/** This cursor is as long as one of a list that is sorted by time and id. */
const cursorOf = (page: number): string => (page === 1 ? "" : `${page}`.padStart(67, "c"));

/** Returns the positions of the pages of a list, up to the given page. */
function placesTo(page: number): PagePlace[] {
  const places = [first];
  while (places.length < page) places.push(nextPage(places.at(-1) ?? first, cursorOf(places.length + 1)));
  return places;
}

/** Returns the pages that a person reaches by going back from a page. */
function walkedBack(from: number): string[] {
  const cursors: string[] = [];
  for (let place: PagePlace | null = placesTo(from).at(-1) ?? first; place !== null; place = previousPage(place))
    cursors.push(place.cursor);
  return cursors;
}

it("returns to the first page through every page in between", () => {
  expect(walkedBack(1)).toEqual([""]);
  expect(walkedBack(20)).toEqual(Array.from({ length: 20 }, (_, index) => cursorOf(20 - index)));
});

it("drops the oldest pages if the address becomes too long, and then offers no previous page instead of a wrong one", () => {
  for (const { back } of placesTo(200)) expect(back.length).toBeLessThanOrEqual(backLengthMax);
  const walked = walkedBack(200);
  expect(walked.length).toBeGreaterThan(25);
  expect(walked).toEqual(walked.map((_, index) => cursorOf(200 - index)));
});

it("offers no previous page if the cursor of that page alone exceeds the maximum length", () => {
  const long = nextPage({ cursor: "x".repeat(backLengthMax + 1), back: "" }, "next");
  expect(previousPage(long)).toBeNull();
});
