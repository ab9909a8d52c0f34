import { expect, test } from "vitest";
import { createSubscriptionNotes } from "./subscription-notes.ts";

test("removes the notes of a subscription that is no longer active, and keeps those of the others", () => {
  const notes = createSubscriptionNotes();
  notes.of("kept").heldFrom = 16;
  for (let index = 0; index < 1_000; index += 1) notes.of(`deleted-${index}`).heldFrom = 1;
  notes.keepOnly(new Set(["kept", "new"]));
  expect(notes.count()).toBe(1);
  expect(notes.of("kept").heldFrom).toBe(16);
  expect(notes.of("deleted-1").heldFrom).toBe(0);
});
