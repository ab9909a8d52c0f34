import { expect, test } from "vitest";
import { allPorts, freePortBase, stackPorts } from "../src/ports.ts";

test("returns ranges that do not overlap to callers that request one before the stacks start", async () => {
  // With the default, all callers would choose the same range, then the next one, and then a free one.
  const randomOf = () => {
    const wanted = [0.5, 0.505, 0.495];
    return () => wanted.shift() ?? Math.random();
  };
  const bases = await Promise.all(Array.from({ length: 5 }, () => freePortBase(randomOf())));
  const ports = bases.flatMap((base) => allPorts(stackPorts(base)));
  expect(new Set(ports).size).toBe(ports.length);
});
