import { expect, test } from "vitest";
import { onlyWith } from "./only-with.ts";

type Call = { readonly caller: string | null; readonly signal: AbortSignal };

test("returns the fields that the test gave", async () => {
  const { caller } = onlyWith<Call>({ caller: null });
  expect(caller).toBeNull();
  expect(await onlyWith<Call>({ caller: "ann" })).toMatchObject({ caller: "ann" });
});

test("throws with the name of a field that the test did not give", () => {
  expect(() => onlyWith<Call>({ caller: null }).signal).toThrow("the test gives no signal");
});
