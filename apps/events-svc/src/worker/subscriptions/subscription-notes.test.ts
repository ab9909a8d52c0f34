import { expect, test } from "vitest";
import { createSubscriptionNotes, type FullPause, nextFullPause } from "./subscription-notes.ts";

test("removes the notes of a subscription that is no longer active, and keeps those of the others", () => {
  const notes = createSubscriptionNotes();
  notes.of("kept").heldFrom = 16;
  for (let index = 0; index < 1_000; index += 1) notes.of(`deleted-${index}`).heldFrom = 1;
  notes.keepOnly(new Set(["kept", "new"]));
  expect(notes.count()).toBe(1);
  expect(notes.of("kept").heldFrom).toBe(16);
  expect(notes.of("deleted-1").heldFrom).toBe(0);
});

test("pauses twice as long each time a subscription is still full, from 0.2 to 1.6 seconds", () => {
  const pauses: number[] = [];
  let pause: FullPause | null = null;
  for (let times = 0; times < 5; times += 1) {
    pause = nextFullPause(pause, 1_000);
    pauses.push(pause.pauseMs);
    expect(pause.untilMs).toBe(1_000 + pause.pauseMs);
  }
  expect(pauses).toEqual([200, 400, 800, 1_600, 1_600]);
});
