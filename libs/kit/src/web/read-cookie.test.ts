import { expect, test } from "vitest";
import { readCookie } from "./read-cookie.ts";

test.each([
  ["a=1; session=abc; b=2", "abc"],
  ["session=a=b%20c", "a=b%20c"],
  ["session=", ""],
  ["xsession=1; session2=2", null],
  ["", null],
  [undefined, null],
])("reads the undecoded value of a cookie in %j", (header, value) => {
  expect(readCookie(header, "session")).toBe(value);
});

test.each(["session=theirs; session=mine", "session=mine; a=1;session=theirs", "session=; session=mine"])(
  "reads no value from %j, in which another cookie was planted (cookie tossing)",
  (header) => {
    expect(readCookie(header, "session")).toBeNull();
  },
);
