import { describe, expect, test } from "vitest";
import { isReturnUriAllowed, returnLocation, returnUriProblem } from "./return-uri.ts";

describe("an entry of the allow-list", () => {
  test.each([
    "https://app.example/linked",
    "https://app.example/",
    "https://app.example:8443/linked?from=platform",
    "https://xn--r8jz45g.example/",
  ])("accepts %s in any environment", (uri) => {
    expect(returnUriProblem(uri, "production")).toBeNull();
  });

  test.each(["http://127.0.0.1:3000/linked", "http://localhost/linked", "http://[::1]:3000/linked"])(
    "accepts %s in development and sandbox only",
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

  test("adds transaction, encoded state and status to the return_uri", () => {
    expect(returnLocation("https://app.example/linked", outcome)).toBe(
      "https://app.example/linked?transaction_id=t&state=a%26status%3Db%23c+d&status=cancelled",
    );
  });

  test("keeps other parameters and replaces those of the same names", () => {
    const { searchParams } = new URL(returnLocation("https://app.example/?keep=1&status=old&status=older", outcome));
    expect(searchParams.get("keep")).toBe("1");
    expect(searchParams.getAll("status")).toEqual(["cancelled"]);
  });
});
