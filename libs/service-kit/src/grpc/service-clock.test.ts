import { expect, test } from "vitest";
import { clockNowMs, clockText, leftOfExpiry, ServiceClock } from "./service-clock.ts";

const expectNear = (actual: number | null, expected: number): void => {
  expect(actual).not.toBeNull();
  expect(Math.abs((actual ?? Number.NaN) - expected)).toBeLessThan(20);
};

test("returns the remaining time of a deadline and never more", () => {
  const clock = ServiceClock.from(clockText());
  const leftMs = leftOfExpiry(clock?.expiryText(Date.now() + 5_000)) ?? Number.NaN;
  expectNear(leftMs, 5_000);
  // Epoch milliseconds are whole.
  expect(leftMs).toBeLessThanOrEqual(5_001);
});

test("uses the clock reading with the shortest travel time", () => {
  const [id] = clockText().split(" ");
  const clock = ServiceClock.from(`${id} ${clockNowMs() - 300}`);
  expectNear(leftOfExpiry(clock?.expiryText(Date.now() + 5_000)), 4_700);
  clock?.heard(clockNowMs());
  clock?.heard(clockNowMs() - 4_000);
  expectNear(leftOfExpiry(clock?.expiryText(Date.now() + 5_000)), 5_000);
});

test.each([undefined, "", "other 12", "nonsense"])(
  "ignores a deadline in terms of %j, which is not this process's clock",
  (text) => {
    expect(leftOfExpiry(text)).toBeNull();
  },
);

test("knows no clock of a service that does not send one", () => {
  expect(ServiceClock.from(undefined)).toBeNull();
  expect(ServiceClock.from("id")).toBeNull();
});
