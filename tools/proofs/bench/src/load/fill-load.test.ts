import { expect, test } from "vitest";
import { copyOf } from "./fill-load.ts";

const dayMs = 86_400_000;
const original = {
  _id: "a",
  project_client_id: "first",
  idempotency_key: "email:1",
  position: 7,
  status: "sent",
  created_at: new Date(20 * dayMs),
};
const unique = new Set(["project_client_id", "idempotency_key", "position"]);
const copiesWith = (load: Partial<Parameters<typeof copyOf>[0]>) =>
  [0, 1, 2].map((at) => copyOf({ count: 3, ...load }, original, unique, at));

test("gives each copy its own id and its own values in unique fields", () => {
  const copies = copiesWith({});
  for (const field of ["_id", "idempotency_key", "position"]) {
    expect(new Set([original, ...copies].map((copy) => (copy as Record<string, unknown>)[field])).size).toBe(4);
  }
  expect(copies.map(({ project_client_id }) => project_client_id)).toEqual(["first", "first", "first"]);
});

test("spreads the copies over owners and over 13 days, oldest first", () => {
  const copies = copiesWith({ owners: ["b", "c"], count: 13 });
  expect(copies.map(({ project_client_id }) => project_client_id)).toEqual(["b", "c", "b"]);
  expect(copies.map(({ created_at }) => created_at.getTime() / dayMs)).toEqual([7, 8, 9]);
});

test("uses the given ids, and changes the fields of every nth copy", () => {
  const variants = [2, 3].map((every) => ({ every, fields: { status: `every ${every}` } }));
  const copies = copiesWith({ ids: ["x", "y", "z"], variants });
  expect(copies.map(({ _id, status }) => [_id, status])).toEqual([
    ["x", "every 3"],
    ["y", "sent"],
    ["z", "every 2"],
  ]);
});
