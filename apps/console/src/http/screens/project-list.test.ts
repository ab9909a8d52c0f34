import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import { lastHours } from "../pages/figure.ts";
import type { Action } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { projectList } from "./project-list.ts";

/**
 * Reads a page of projects from a search that returns these hours for each project. Also returns the number of calls to
 * the search.
 */
async function readPage(hoursOf: readonly (readonly [hoursAgo: number, requests: bigint, refused: bigint])[][]) {
  const hours = lastHours(48);
  let calls = 0;
  const ask = async (_method: unknown, request: { withRequests: boolean }) => {
    calls += 1;
    const found = hoursOf.map((counted, index) => ({
      projectClient: { id: `${index}` },
      requestHours: request.withRequests
        ? counted.map(([hoursAgo, requests, refused]) => ({
            at: timestampFromDate(hours[47 - hoursAgo] ?? new Date()),
            requests,
            refused,
          }))
        : [],
    }));
    return { found, nextCursor: "" };
  };
  const listing = projectList({} as Action);
  const { rows } = await listing.read({ ask } as unknown as Visit, {}, { limit: 50, cursor: "" });
  const column = (key: string) => listing.columns.find((each) => each.key === key);
  const valuesOf = (key: string) => rows.map((row) => column(key)?.value(row));
  return {
    calls,
    requests: valuesOf("requests_24h"),
    refused: valuesOf("refused_24h"),
    bars: rows.map(({ hours: all }) => all.length),
  };
}

it("sums requests and refusals of the last 24 hours, with one query for the whole page", async () => {
  const busy = [
    [0, 5n, 1n],
    [23, 2n, 0n],
    [24, 9n, 9n],
  ] as const;
  const page = await readPage([[...busy], [], [[3, 1n, 1n]]]);
  expect(page).toEqual({ calls: 1, requests: [7, 0, 1], refused: [1, 0, 1], bars: [24, 24, 24] });
});
