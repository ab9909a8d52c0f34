import { expect, it } from "vitest";
import { createSharedRender } from "./shared-render.ts";

it("makes what many ask for once within its time, and anew afterwards or after a failure", async () => {
  let nowMs = 0;
  let made = 0;
  const render = createSharedRender<number>(1_000, () => nowMs);
  const make = async (): Promise<number> => (made += 1);
  expect(await Promise.all(Array.from({ length: 366 }, () => render("status", make)))).toEqual(Array(366).fill(1));
  expect(await render("another", make)).toBe(2);
  nowMs = 1_000;
  expect(await render("status", make)).toBe(3);
  nowMs = 2_000;
  await expect(render("status", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(await render("status", make)).toBe(4);
});
