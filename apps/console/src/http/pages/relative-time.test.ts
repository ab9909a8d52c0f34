import { expect, it } from "vitest";
import { relativeTime } from "./relative-time.ts";

const now = new Date("2027-03-31T12:00:00Z");

it.each([
  ["2027-03-31T11:59:00.001Z", "just now"],
  ["2027-03-31T11:59:00Z", "1 min ago"],
  ["2027-03-31T11:00:00.001Z", "59 min ago"],
  ["2027-03-31T11:00:00Z", "1 h ago"],
  ["2027-03-30T12:00:00.001Z", "23 h ago"],
  ["2027-03-30T12:00:00Z", "1 day ago"],
  ["2027-02-28T12:00:00.001Z", "30 days ago"],
  ["2027-02-28T12:00:00Z", "28 Feb 2027"],
  ["2027-03-31T12:00:30Z", "in less than 1 min"],
  ["2027-03-31T14:30:00Z", "in 2 h"],
  ["2027-04-02T13:00:00Z", "in 2 days"],
  ["2028-04-02T13:00:00Z", "2 Apr 2028"],
])("describes %s as it is seen at noon of 31 March: %s", (at, text) => {
  expect(relativeTime(new Date(at), now)).toBe(text);
});
