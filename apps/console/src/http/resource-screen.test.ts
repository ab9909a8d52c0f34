import { migrations } from "@platform/contracts/operator/migrations";
import { expect, it } from "vitest";
import { screenOf } from "./resource-screen.ts";

it("keeps people's addresses and legacy subjects out of URLs, because no list can be filtered by them", () => {
  const [list] = screenOf(migrations).lists ?? [];
  expect(list?.filters?.map(({ name }) => name)).toEqual(["status"]);
});
