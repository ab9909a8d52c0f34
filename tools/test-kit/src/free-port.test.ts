import { execFileSync } from "node:child_process";
import { afterEach, expect, test, vi } from "vitest";
import { freePort } from "./free-port.ts";

afterEach(() => vi.restoreAllMocks());

/** The random number for which `freePort` tries a port first. */
const chanceOf = (port: number): number => (port - 30_000 + 0.5) / 2_700;

test("never returns a port that an earlier call returned, although no server has started on it yet", async () => {
  const first = await freePort();
  const random = vi.spyOn(Math, "random").mockReturnValueOnce(chanceOf(first));
  expect(await freePort()).not.toBe(first);
  expect(random.mock.calls.length).toBeGreaterThan(1);
});

test("does not return a port that another process has reserved and does not use yet", async () => {
  const reserved = await freePort();
  const script = `const { random } = Math;
let calls = 0;
Math.random = () => (calls++ === 0 ? ${chanceOf(reserved)} : random());
const { freePort } = await import("${new URL("./free-port.ts", import.meta.url).href}");
console.log(await freePort(), calls > 1);`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  expect(output).toMatch(/^\d+ true\n$/);
  expect(output).not.toContain(`${reserved}`);
});

test("lets a process end although it has reserved a port", () => {
  const script = `const { freePort } = await import("${new URL("./free-port.ts", import.meta.url).href}");
console.log(await freePort());`;
  const port = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
    timeout: 30_000,
  });
  expect(Number(port)).toBeGreaterThan(0);
});
