import { describe, expect, it } from "vitest";
import { newestFirst, newestIdFirst, oldestFirst, pageFilter } from "./keyset-page.ts";

const at = new Date("2026-03-01T10:00:00.000Z");
const cursor = Buffer.from(`${at.getTime()} some-id`).toString("base64url");

describe("the filter of a page", () => {
  it("adds no filter for the first page without a time range", () => {
    expect(pageFilter({ client: "c" }, "", newestFirst, { since: null, until: null })).toEqual({ client: "c" });
  });

  it("continues after the cursor, newest first", () => {
    expect(pageFilter({ client: "c" }, cursor, newestFirst)).toEqual({
      client: "c",
      created_at: { $lte: at },
      $or: [{ created_at: { $lt: at } }, { created_at: at, _id: { $lt: "some-id" } }],
    });
  });

  it("keeps the time range if the cursor lies within it", () => {
    const since = new Date("2026-02-01T00:00:00.000Z");
    const until = new Date("2026-04-01T00:00:00.000Z");
    expect(pageFilter({}, cursor, oldestFirst, { since, until })).toMatchObject({
      created_at: { $gte: at, $lt: until },
    });
    expect(pageFilter({}, cursor, newestFirst, { since, until })).toMatchObject({
      created_at: { $gte: since, $lt: until, $lte: at },
    });
  });

  it("continues after the cursor's id if a list is sorted only by id", () => {
    expect(pageFilter({ client: "c" }, cursor, newestIdFirst)).toEqual({ client: "c", _id: { $lt: "some-id" } });
    expect(pageFilter({ client: "c" }, "", newestIdFirst)).toEqual({ client: "c" });
  });

  it("refuses an invalid cursor", () => {
    const read = () => pageFilter({}, "nonsense", newestFirst);
    expect(read).toThrow(expect.objectContaining({ code: "contract_violation" }));
  });
});
