import { expect, it } from "vitest";
import { type EventPage, firstPage, pageAfter } from "./read-events.ts";

it("begins with a page of 16 events or 128 KiB, and doubles it for each page that the reader takes, up to 500 events or 4 MiB", () => {
  const pages: EventPage[] = [firstPage];
  for (let index = 0; index < 6; index += 1) pages.push(pageAfter(pages.at(-1) ?? firstPage));
  expect(pages.map(({ eventsMax }) => eventsMax)).toEqual([16, 32, 64, 128, 256, 500, 500]);
  expect(pages.map(({ bytesMax }) => bytesMax / 1024)).toEqual([128, 256, 512, 1024, 2048, 4096, 4096]);
});
