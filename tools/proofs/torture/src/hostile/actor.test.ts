import { expect, it } from "vitest";
import { pause } from "./actor.ts";

const day = 86_400_000;

it("ends a pause when the attack is stopped", async () => {
  const stop = new AbortController();
  const paused = pause(day, stop.signal);
  stop.abort();
  await expect(paused).resolves.toBeUndefined();
});

it("does not pause after the attack was stopped", async () => {
  await expect(pause(day, AbortSignal.abort())).resolves.toBeUndefined();
});
