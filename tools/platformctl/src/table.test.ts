import { expect, it } from "vitest";
import { forTerminal } from "./table.ts";

it("prints rows beneath the names of their fields, in columns", () => {
  const rows = [
    { id: "a", status: "sent", error: null },
    { id: "bcd", status: "failed", error: "no_such_user" },
  ];
  expect(forTerminal(rows)).toBe(["id   status  error", "a    sent    -", "bcd  failed  no_such_user"].join("\n"));
});

it("prints the cursor of the next page", () => {
  expect(forTerminal({ items: [{ id: "a" }], next_cursor: "c1" })).toBe("id\na\n\nmore: --cursor c1");
  expect(forTerminal({ items: [], next_cursor: null })).toBe("(none)");
});

it("prints a single value as name and value, secrets in full", () => {
  const credential = "x".repeat(200);
  expect(forTerminal({ id: "a", credential, scopes: ["one", "two"] })).toBe(
    ["id          a", `credential  ${credential}`, "scopes      one, two"].join("\n"),
  );
});
