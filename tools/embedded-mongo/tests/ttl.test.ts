import { describe, expect, it } from "vitest";
import { connect } from "./connect.ts";

const { collection } = connect();

/** A mongod deletes expired documents once a minute, and the embedded engine does so each second. */
const expiryMs = 90_000;

describe("TTL indexes", () => {
  it("removes expired documents and no others", async () => {
    const [past, future] = [new Date(Date.now() - 10_000), new Date(Date.now() + 3_600_000)];
    const c = await collection([
      { _id: "past", at: past },
      { _id: "future", at: future },
      { _id: "one element past", at: [future, past] },
      { _id: "no date", at: 5 },
      { _id: "missing" },
    ]);
    await c.createIndex({ at: 1 }, { expireAfterSeconds: 1 });
    await expect.poll(() => c.countDocuments(), { timeout: expiryMs }).toBe(3);
    expect(await c.distinct("_id")).toEqual(["future", "missing", "no date"]);
    expect(await c.countDocuments({ at: future })).toBe(1);
  });
});
