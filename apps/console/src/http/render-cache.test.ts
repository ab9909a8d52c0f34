import { expect, it } from "vitest";
import { createRenderCache } from "./render-cache.ts";

it("renders a key once for all callers, and again after it has expired or failed", async () => {
  let nowMs = 0;
  let rendered = 0;
  const cached = createRenderCache<number>(1_000, () => nowMs);
  const render = async (): Promise<number> => (rendered += 1);
  expect(await Promise.all(Array.from({ length: 366 }, () => cached("status", render)))).toEqual(Array(366).fill(1));
  expect(await cached("another", render)).toBe(2);
  nowMs = 1_000;
  expect(await cached("status", render)).toBe(3);
  nowMs = 2_000;
  await expect(cached("status", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(await cached("status", render)).toBe(4);
});
