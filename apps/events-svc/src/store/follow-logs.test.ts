import { expect, test } from "vitest";
import { createLogFollower } from "./follow-logs.ts";

const never = new AbortController().signal;

test("sends one query at a time for 200 waiting readers, and names each client only once", async () => {
  const asked: (readonly string[])[] = [];
  let last = 0;
  let open = 0;
  const follower = createLogFollower(async (clientIds) => {
    open += 1;
    expect(open).toBe(1);
    asked.push(clientIds);
    if (asked.length === 3) last = 1;
    await Promise.resolve();
    open -= 1;
    return new Map(clientIds.map((id) => [id, last]));
  });
  const readers = Array.from({ length: 200 }, (_, index) =>
    follower.waitBeyond(index % 2 === 0 ? "even" : "odd", 0, 60_000, never),
  );
  await Promise.all(readers);
  expect(asked).toEqual(Array.from({ length: 3 }, () => ["even", "odd"]));
});

test("wakes a reader only if its log has grown, its time is over, or its signal aborts", async () => {
  const follower = createLogFollower(async () => new Map([["busy", 5]]));
  const leaving = new AbortController();
  const quiet = follower.waitBeyond("quiet", 0, 60_000, leaving.signal).then(() => "quiet");
  const ahead = follower.waitBeyond("busy", 5, 60_000, leaving.signal).then(() => "ahead");
  const busy = follower.waitBeyond("busy", 4, 60_000, never).then(() => "busy");
  expect(await Promise.race([quiet, ahead, busy])).toBe("busy");
  await follower.waitBeyond("quiet", 0, 1, never);
  leaving.abort();
  expect(await Promise.all([quiet, ahead])).toEqual(["quiet", "ahead"]);
});

test("rejects the waiting readers when the store fails, and serves later ones", async () => {
  let isDown = true;
  const follower = createLogFollower(async () => {
    if (isDown) throw new Error("down");
    return new Map([["a", 1]]);
  });
  await expect(follower.waitBeyond("a", 0, 60_000, never)).rejects.toThrow("down");
  isDown = false;
  await follower.waitBeyond("a", 0, 60_000, never);
});
