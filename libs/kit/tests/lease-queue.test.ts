import { collectionOf } from "@platform/kit/store/documents";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { type Connection, type Model, Schema } from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createLeaseQueue } from "../src/jobs/lease-queue.ts";
import { connectMongo } from "../src/store/connect.ts";

type Mail = {
  _id: string;
  client: string;
  work: { due_at: Date | null; attempts: number; state: string };
  token?: string;
};

const leaseMs = 30_000;
const start = Date.UTC(2026, 0, 1);
let mongo: TestMongo;
let connection: Connection;
let model: Model<Mail>;
let nowMs = start;
const clock = (): Date => new Date(nowMs);

beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo(mongo);
  model = connection.model<Mail>("Mail", new Schema({ _id: String }, { strict: false, versionKey: false }), "mails");
});
beforeEach(async () => {
  nowMs = start;
  await model.deleteMany({});
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

/** Each call opens the queue as another process would. */
const openQueue = () =>
  createLeaseQueue<Mail>(model, {
    clock,
    leaseMs,
    due: "work.due_at",
    claim: "token",
    attempts: "work.attempts",
    waiting: { "work.state": "queued" },
    held: { "work.state": "queued" },
  });
const add = async (...ids: string[]): Promise<void> =>
  void (await collectionOf(model).insertMany(
    ids.map((id) => ({ _id: id, client: id, work: { due_at: clock(), attempts: 0, state: "queued" } })),
  ));
const stateOf = async (id: string) => (await model.findById(id).lean<Mail>())?.work.state;
const sent = { $set: { "work.state": "sent", "work.due_at": null } };

test("assigns each item to one of several processes, and increments its number of attempts", async () => {
  const ids = Array.from({ length: 50 }, (_, index) => `m${index}`);
  await add(...ids);
  const claims = (await Promise.all(Array.from({ length: 4 }, () => openQueue().claimMany(ids)))).flat();
  expect(claims.map(({ document }) => document._id).sort()).toEqual([...ids].sort());
  expect(claims.every(({ document }) => document.work.attempts === 1)).toBe(true);
});

test("claims the matching item that has been due longest", async () => {
  await add("first");
  nowMs += 1;
  await add("second", "third");
  const queue = openQueue();
  expect((await queue.claimNext({ client: { $ne: "first" } }))?.document._id).toMatch(/second|third/);
  expect((await queue.claimNext())?.document._id).toBe("first");
});

test("writes nothing for a claim that was lost", async () => {
  await add("m");
  const [paused, other] = [openQueue(), openQueue()];
  const lost = await paused.claimNext();
  nowMs += leaseMs;
  const kept = await other.claimNext();
  if (lost === null || kept === null) throw new Error("not claimed");
  expect([paused.isHeld(lost), other.isHeld(kept)]).toEqual([false, true]);
  expect(await paused.settle(lost, { $set: { "work.state": "failed" } })).toBe(false);
  await paused.settleTogether(lost, { $set: { "work.state": "failed" } });
  expect(await stateOf("m")).toBe("queued");
  expect(await other.settle(kept, sent)).toBe(true);
  expect(await stateOf("m")).toBe("sent");
});

test("extends a claim when it is renewed, until the claim ends", async () => {
  await add("kept", "left");
  const [queue, other] = [openQueue(), openQueue()];
  const claims = await queue.claimMany(["kept", "left"]);
  for (const claim of claims) if (claim.document._id === "left") queue.leave(claim);
  nowMs += leaseMs - 1;
  await queue.renewAll();
  nowMs += 1;
  expect((await other.claimMany(["kept", "left"])).map(({ document }) => document._id)).toEqual(["left"]);
  expect(claims.map((claim) => queue.isHeld(claim))).toEqual(claims.map(({ document }) => document._id === "kept"));
});

test("postpones an item, which any process may then claim", async () => {
  await add("m");
  const queue = openQueue();
  const claim = await queue.claimNext();
  if (claim === null) throw new Error("not claimed");
  expect(await queue.putOff(claim, new Date(nowMs + 5_000))).toBe(true);
  expect(await queue.claimNext()).toBeNull();
  nowMs += 5_000;
  expect((await queue.claimNext())?.document.work.attempts).toBe(2);
});

test("does not change an item whose condition no longer holds", async () => {
  await add("used");
  await model.updateOne({ _id: "used" }, { $set: { "work.state": "used" } });
  const queue = createLeaseQueue<Mail>(model, {
    clock,
    leaseMs,
    due: "work.due_at",
    attempts: "work.attempts",
    held: { "work.state": "queued" },
  });
  const claim = await queue.claimNext();
  if (claim === null) throw new Error("not claimed");
  expect(await stateOf("used")).toBe("used");
  expect(await queue.settle(claim, sent)).toBe(false);
  expect(await stateOf("used")).toBe("used");
});

test("settles many items together, and fails only the item that cannot be written", async () => {
  const ids = ["a", "b", "c"];
  await add(...ids);
  const queue = openQueue();
  const claims = await queue.claimMany(ids);
  const outcomes = await Promise.allSettled(
    claims.map((claim) =>
      queue.settleTogether(claim, claim.document._id === "b" ? { $push: { client: "no list" } } : sent),
    ),
  );
  const failed = claims.filter((_, index) => outcomes[index]?.status === "rejected");
  expect(failed.map(({ document }) => document._id)).toEqual(["b"]);
  expect(await Promise.all(ids.map(stateOf))).toEqual(["sent", "queued", "sent"]);
});

test("settles items of one claim with the same result together, and fails only the item that cannot be written", async () => {
  const ids = ["a", "b", "c"];
  await add(...ids);
  const queue = openQueue();
  const claims = await queue.claimMany(ids);
  await model.updateOne({ _id: "b" }, { $set: { client: "b", tries: "no list" } });
  const tried = { ...sent, $push: { tries: "answered" } };
  const outcomes = await Promise.allSettled(claims.map((claim) => queue.settleTogether(claim, tried)));
  const failed = claims.filter((_, index) => outcomes[index]?.status === "rejected");
  expect(failed.map(({ document }) => document._id)).toEqual(["b"]);
  expect(await Promise.all(ids.map(stateOf))).toEqual(["sent", "queued", "sent"]);
  const listed = await model.collection.find({ tries: ["answered"] }).toArray();
  expect(listed.map(({ _id }) => String(_id)).sort()).toEqual(["a", "c"]);
});

test("does not change an item of a shared result whose claim was lost", async () => {
  const ids = ["a", "b"];
  await add(...ids);
  const queue = openQueue();
  const claims = await queue.claimMany(ids);
  await model.updateOne({ _id: "b" }, { $set: { token: "another's" } });
  await Promise.all(claims.map((claim) => queue.settleTogether(claim, sent)));
  expect(await Promise.all(ids.map(stateOf))).toEqual(["sent", "queued"]);
});
