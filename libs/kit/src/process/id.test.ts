import { expect, test } from "vitest";
import { isUuid, newId } from "./id.ts";

test("creates unique UUIDv7 ids that sort in the order of their creation", () => {
  const before = Date.now();
  const ids = Array.from({ length: 100_000 }, newId);
  const after = Date.now();
  expect(ids.every(isUuid)).toBe(true);
  expect(ids.every((id) => id[14] === "7" && "89ab".includes(id[19] ?? ""))).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
  const times = [ids[0], ids.at(-1)].map((id) => Number.parseInt((id ?? "").replaceAll("-", "").slice(0, 12), 16));
  expect(times.every((time) => time >= before && time <= after)).toBe(true);
});

test("gives each id its own random part, even if ids share one pool of random bytes", () => {
  const ends = Array.from({ length: 1_000 }, () => newId().slice(-8));
  expect(new Set(ends).size).toBeGreaterThan(990);
});
