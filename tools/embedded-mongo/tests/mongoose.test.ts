import mongoose from "mongoose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "./connect.ts";

const { database, uri } = connect();
let connection: mongoose.Connection;

const leaseSchema = new mongoose.Schema(
  {
    _id: { type: mongoose.Schema.Types.UUID, required: true },
    clientId: { type: String, required: true },
    key: { type: String, required: true },
    attempts: { type: Number, default: 0 },
    owner: { name: String, until: Date },
    bytes: Buffer,
    total: mongoose.Schema.Types.BigInt,
    attributes: { type: Map, of: String },
    history: [{ at: Date, state: String, _id: false }],
  },
  { timestamps: true, collection: "leases" },
);
leaseSchema.index({ clientId: 1, key: 1 }, { unique: true });
leaseSchema.index({ "owner.until": 1 }, { sparse: true });

describe("mongoose", () => {
  let Lease: mongoose.Model<Record<string, unknown>>;
  beforeAll(async () => {
    connection = await mongoose.createConnection(uri(), { dbName: database }).asPromise();
    Lease = connection.model<Record<string, unknown>>("Lease", leaseSchema);
    await Lease.init();
  });
  afterAll(() => connection.close());

  it("builds its indexes idempotently", async () => {
    await Lease.ensureIndexes();
    expect(await Lease.syncIndexes()).toEqual([]);
    const keys = (await Lease.listIndexes()).map(({ key }: { key: object }) => key);
    expect(keys).toEqual([{ _id: 1 }, { clientId: 1, key: 1 }, { "owner.until": 1 }]);
  });

  it("saves, reads, changes and reports a duplicate", async () => {
    const _id = crypto.randomUUID();
    const lease = await Lease.create({
      _id,
      clientId: "c",
      key: "k",
      bytes: Buffer.from("ab"),
      total: 12345678901234567890n % 2n ** 62n,
      attributes: { a: "b" },
      history: [{ at: new Date(0), state: "new" }],
    });
    const found = await Lease.findById(_id);
    expect(found?.get("total")).toBe(lease.get("total"));
    expect(String(found?.get("bytes"))).toBe("ab");
    found?.set("owner.name", "me");
    await found?.save();
    expect(await Lease.findOne({ clientId: "c", "owner.name": "me" }).lean()).toMatchObject({
      attempts: 0,
      history: [{ state: "new" }],
    });
    const twin = Lease.create({ _id: crypto.randomUUID(), clientId: "c", key: "k" });
    await expect(twin).rejects.toMatchObject({ code: 11000 });
    expect((await Lease.deleteOne({ _id })).deletedCount).toBe(1);
  });

  it("claims with findOneAndUpdate, casts, selects, and writes in bulk", async () => {
    const ids = Array.from({ length: 5 }, () => crypto.randomUUID());
    await Lease.insertMany(ids.map((_id, n) => ({ _id, clientId: "bulk", key: `k${n}` })));
    const claimed = await Lease.findOneAndUpdate(
      { clientId: "bulk", $or: [{ "owner.until": null }, { "owner.until": { $lt: new Date() } }] },
      { $set: { owner: { name: "w", until: new Date(Date.now() + 60_000) } }, $inc: { attempts: 1 } },
      { sort: { key: 1 }, returnDocument: "after" },
    ).lean();
    expect(claimed).toMatchObject({ key: "k0", attempts: 1, owner: { name: "w" } });
    const rest = await Lease.find({ clientId: "bulk", "owner.until": { $exists: false } })
      .select("key")
      .sort("-key")
      .lean();
    expect(rest.map((document) => document.key)).toEqual(["k4", "k3", "k2", "k1"]);
    const updates = ids.map((_id) => ({
      updateOne: { filter: { _id }, update: { $push: { history: { state: "x" } } } },
    }));
    expect((await Lease.bulkWrite(updates, { ordered: false })).modifiedCount).toBe(5);
    expect(await Lease.countDocuments({ clientId: "bulk", "history.state": "x" })).toBe(5);
  });
});
