import { expect, test } from "vitest";
import { allRings, chooseRings, dayRings } from "./rings.ts";

test.each([undefined, "", " ", ","])("chooses the given rings when RINGS is %j", (named) => {
  expect(chooseRings(named, dayRings)).toEqual(dayRings);
});

test("chooses the named rings once each, in the order they run", () => {
  expect(chooseRings("service, unit,service,night", dayRings)).toEqual(["unit", "service", "night"]);
});

test("refuses an unknown ring and lists the known ones", () => {
  expect(() => chooseRings("unit,units", dayRings)).toThrow(
    "RINGS takes check, unit, service, crawl, acceptance, alone, faults, night, and not units",
  );
});

test("includes all rings of make test in make test-all", () => {
  expect(allRings).toEqual(expect.arrayContaining([...dayRings]));
});
