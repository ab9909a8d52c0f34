import { describe, expect, test } from "vitest";
import { isReturnUriAllowed, returnLocation, returnUriProblem } from "./return-uri.ts";

describe("an entry of the allow-list of return URIs", () => {
  test.each([
    "https://app.example/linked",
    "https://app.example/",
    "https://app.example:8443/linked?from=platform",
    "https://xn--r8jz45g.example/",
    "https://my_app.example/",
    "https://192.0.2.7/linked",
    "https://[2001:db8::1]/linked",
    `https://${"a".repeat(63)}.example/`,
    `https://${"a.".repeat(126)}a/`,
  ])("accepts the return URI %s in any environment", (uri) => {
    expect(returnUriProblem(uri, "production")).toBeNull();
  });

  test.each(["http://127.0.0.1:3000/linked", "http://localhost/linked", "http://[::1]:3000/linked"])(
    "accepts the return URI %s in development and sandbox only",
    (uri) => {
      expect(returnUriProblem(uri, "development")).toBeNull();
      expect(returnUriProblem(uri, "sandbox")).toBeNull();
      expect(returnUriProblem(uri, "staging")).not.toBeNull();
      expect(returnUriProblem(uri, "production")).not.toBeNull();
    },
  );

  test.each([
    ["plain http", "http://app.example/linked"],
    ["http on something that only looks like loopback", "http://127.0.0.1.evil.example/"],
    ["a name that only starts with localhost", "http://localhost.evil.example/"],
    ["userinfo", "https://app.example@evil.example/"],
    ["userinfo and password", "https://user:secret@app.example/"],
    ["a fragment", "https://app.example/#x"],
    ["an empty fragment", "https://app.example/#"],
    ["a trailing dot", "https://app.example./linked"],
    ["upper case", "https://APP.example/linked"],
    ["a missing path", "https://app.example"],
    ["dot segments", "https://app.example/a/../b"],
    ["encoded dot segments", "https://app.example/a/%2e%2e/b"],
    ["a back slash", "https://app.example\\@evil.example/"],
    ["a default port", "https://app.example:443/linked"],
    ["white space", "https://app.example/ linked"],
    ["a line break", "https://app.example/\nlinked"],
    ["another scheme", "javascript:alert(1)"],
    ["data", "data:text/html,x"],
    ["no scheme", "//app.example/linked"],
    ["an IPv4 address in disguise", "http://2130706433/linked"],
    ["a wildcard host", "https://*.evil/"],
    ["a wildcard inside its host", "https://app*.example/linked"],
    ["an escaped wildcard host", "https://%2a.evil/"],
    ["an empty label in its host", "https://app..example/linked"],
    ["a host that begins with a dot", "https://.app.example/linked"],
    ["a host with a sub-delimiter", "https://app,evil.example/linked"],
    ["a host with a dollar sign", "https://$app.example/linked"],
    ["a label that begins with a hyphen", "https://-app.example/linked"],
    ["a label that ends with a hyphen", "https://app-.example/linked"],
    ["a label of 64 characters", `https://${"a".repeat(64)}.example/linked`],
    ["a host of 254 characters", `https://${"a.".repeat(126)}ab/linked`],
    ["too many characters", `https://app.example/${"a".repeat(2048)}`],
  ])("refuses a return_uri with %s", (_what, uri) => {
    expect(returnUriProblem(uri, "development")).not.toBeNull();
  });
});

test("accepts only an identical return_uri", () => {
  const allowed = ["https://app.example/linked"];
  expect(isReturnUriAllowed("https://app.example/linked", allowed)).toBe(true);
  for (const uri of ["https://app.example/linked/", "https://app.example/linked?", "https://APP.example/linked", ""]) {
    expect(isReturnUriAllowed(uri, allowed)).toBe(false);
  }
});

describe("the URI at which a continuation ends", () => {
  const outcome = { transactionId: "t", state: "a&status=b#c d", status: "cancelled" } as const;

  test("appends the transaction id, the encoded state and the status to the return_uri", () => {
    expect(returnLocation("https://app.example/linked", outcome)).toBe(
      "https://app.example/linked?transaction_id=t&state=a%26status%3Db%23c+d&status=cancelled",
    );
  });

  test.each([
    "https://app.example/cb?flag",
    "https://app.example/cb?x=[1]|2",
    "https://app.example/cb?a=1&a=2",
    "https://app.example/cb?",
    "https://app.example/cb?a=1&",
    "https://app.example/cb?q=%7e~+%20;x,y'",
    "https://app.example/cb?=&=x&&",
    "https://app.example/cb?path=/a/../b?c",
    "https://app.example/cb?%zz",
  ])("keeps the query of %s byte for byte and appends the outcome", (uri) => {
    expect(returnLocation(uri, outcome)).toBe(`${uri}&transaction_id=t&state=a%26status%3Db%23c+d&status=cancelled`);
  });

  test("keeps other parameters as written when it replaces one of the outcome's names", () => {
    expect(returnLocation("https://app.example/?x=[1]&st%61te=old&flag", { ...outcome, state: "s" })).toBe(
      "https://app.example/?x=[1]&flag&transaction_id=t&state=s&status=cancelled",
    );
  });

  test("keeps other parameters and replaces those of the same names", () => {
    const { searchParams } = new URL(returnLocation("https://app.example/?keep=1&status=old&status=older", outcome));
    expect(searchParams.get("keep")).toBe("1");
    expect(searchParams.getAll("status")).toEqual(["cancelled"]);
  });
});
