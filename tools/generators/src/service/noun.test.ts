import { expect, test } from "vitest";
import { nounOf } from "./noun.ts";

test.each([
  ["payments", {}, { one: "payment", many: "payments", withArticle: "a payment" }],
  ["billing", {}, { one: "billing", many: "billings", withArticle: "a billing" }],
  ["billing", { noun: "invoice" }, { one: "invoice", many: "invoices", withArticle: "an invoice" }],
  ["cities", { noun: "city", plural: "cities" }, { one: "city", many: "cities", withArticle: "a city" }],
])("names the first resource of %s with %j", (name, given, noun) => {
  expect(nounOf(name, given)).toEqual(noun);
});

test.each([
  ["cases", {}],
  ["calendar", { noun: "date" }],
  ["archive", { noun: "paper", plural: "case" }],
])("refuses a noun of %s with %j that the generated code could not use", (name, given) => {
  expect(() => nounOf(name, given)).toThrow("give another one as --noun");
});

test("refuses a plural that is the singular", () => {
  expect(() => nounOf("livestock", { noun: "sheep", plural: "sheep" })).toThrow("--plural must differ");
});
