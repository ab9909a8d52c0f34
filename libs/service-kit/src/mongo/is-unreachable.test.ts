import { MongoServerError } from "mongodb";
import { expect, test } from "vitest";
import { isMongoUnreachable } from "./is-unreachable.ts";

const named = (name: string): Error => Object.assign(new Error("x"), { name });

test("a server that was not found, or whose connection broke, is unreachable", () => {
  for (const name of ["MongoServerSelectionError", "MongoNetworkError", "MongoPoolClearedError"])
    expect(isMongoUnreachable(named(name))).toBe(true);
});

test("a server that is stepping down or shutting down is unreachable, one that refuses is not", () => {
  for (const code of [91, 189, 10107, 11600, 11602, 13435, 13436])
    expect(isMongoUnreachable(new MongoServerError({ code, errmsg: "not primary" }))).toBe(true);
  for (const code of [11000, 121, 50])
    expect(isMongoUnreachable(new MongoServerError({ code, errmsg: "no" }))).toBe(false);
});

test("an error that only has such a code, and whatever is no error, is not", () => {
  expect(isMongoUnreachable(Object.assign(new Error("exit"), { code: 91 }))).toBe(false);
  for (const value of [null, undefined, "MongoNetworkError", { name: "MongoNetworkError" }])
    expect(isMongoUnreachable(value)).toBe(false);
});
