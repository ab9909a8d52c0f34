import { expect, test } from "vitest";
import { createCookies, readCookie } from "./cookies.ts";

test.each([
  ["a=1; session=abc; b=2", "abc"],
  ["session=a=b%20c", "a=b%20c"],
  ["session=", ""],
  ["xsession=1; session2=2", null],
  ["__proto__=1; constructor=2", null],
  ["", null],
  [undefined, null],
])("reads the value of a cookie in %j without decoding it", (header, value) => {
  expect(readCookie(header, "session")).toBe(value);
});

test.each(["session=theirs; session=mine", "session=mine; a=1;session=theirs", "session=; session=mine"])(
  "reads no value from %j, in which another host has planted a cookie (cookie tossing)",
  (header) => {
    expect(readCookie(header, "session")).toBeNull();
  },
);

const forms = { session: /^[0-9a-f]{8}$/ };
const cookies = createCookies("https://pages.example", forms);
const read = (cookie: string) => cookies.read({ headers: { cookie } }, "session");

test("reads a cookie only under the name that browsers bind to this host", () => {
  expect(read("__Host-session=0123abcd")).toBe("0123abcd");
  expect(read("session=0123abcd")).toBeNull();
  expect(createCookies("http://127.0.0.1", forms).read({ headers: { cookie: "session=0123abcd" } }, "session")).toBe(
    "0123abcd",
  );
});

test.each(["0123abcd0", "0123abc", "0123ABCD", "%30123abcd", '"0123abcd"', "a".repeat(16_000), "__proto__"])(
  "reads no cookie with the value %.20s, which does not have the required form",
  (value) => {
    expect(read(`__Host-session=${value}`)).toBeNull();
  },
);

test("sets a cookie for a number of seconds or until the browser is closed, and clears it immediately", () => {
  const set: unknown[] = [];
  const response = { cookie: (...call: unknown[]) => set.push(call) };
  cookies.set(response, "session", "0123abcd", 60);
  cookies.set(response, "session", "0123abcd");
  cookies.clear(response, "session");
  const options = { path: "/", httpOnly: true, secure: true, sameSite: "lax", encode: String };
  expect(set).toEqual([
    ["__Host-session", "0123abcd", { ...options, maxAge: 60_000 }],
    ["__Host-session", "0123abcd", options],
    ["__Host-session", "", { ...options, maxAge: 0 }],
  ]);
});
