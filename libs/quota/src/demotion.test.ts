import { expect, test } from "vitest";
import { isDemotion, reconnectPermit } from "./demotion.ts";

test.each([
  "READONLY You can't write against a read only replica.",
  "READONLY You can't write against a read only replica. script: 4ca2, on @user_script:45.",
  "ERR Error running script (call to f_4ca2): @user_script:45: -READONLY You can't write against a read only replica.",
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
])("recognizes %j as an error of a demoted server", (message) => {
  expect(isDemotion(message)).toBe(true);
});

test.each([
  "OOM command not allowed when used memory > 'maxmemory'.",
  "NOREPLICAS Not enough good replicas to write.",
  "WRONGTYPE Operation against a key holding the wrong kind of value",
])("does not recognize %j as an error of a demoted server, because the server is still the primary", (message) => {
  expect(isDemotion(message)).toBe(false);
});

test("permits one reconnection per second", () => {
  let now = 0;
  const permit = reconnectPermit(() => now);
  expect([permit(), permit()]).toEqual([true, false]);
  now = 999;
  expect(permit()).toBe(false);
  now = 1_000;
  expect([permit(), permit()]).toEqual([true, false]);
});
