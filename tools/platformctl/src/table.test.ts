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

it("aligns columns by display width: East Asian characters and emoji occupy two columns, combining marks none", () => {
  const rows = [
    { name: "青空ショップ", status: "enabled" },
    { name: "cafe\u0301 🛒", status: "disabled" },
    { name: "plain", status: "enabled" },
  ];
  // The texts are 12, 7 and 5 columns wide.
  expect(forTerminal(rows)).toBe(
    ["name          status", "青空ショップ  enabled", "cafe\u0301 🛒       disabled", "plain         enabled"].join(
      "\n",
    ),
  );
});

it("cuts a cell at 60 columns, and never within a character", () => {
  const cell = (note: string): string => forTerminal([{ note }]).split("\n")[1] ?? "";
  expect(cell("x".repeat(60))).toBe("x".repeat(60));
  expect(cell("x".repeat(61))).toBe(`${"x".repeat(59)}…`);
  expect(cell("空".repeat(30))).toBe("空".repeat(30));
  expect(cell("空".repeat(31))).toBe(`${"空".repeat(29)}…`);
  expect(cell("🛒".repeat(31))).toBe(`${"🛒".repeat(29)}…`);
  expect(cell(`x${"👩‍👩‍👧".repeat(31)}`)).toBe(`x${"👩‍👩‍👧".repeat(29)}…`);
});
