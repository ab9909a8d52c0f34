import { onlyWith } from "@platform/test-kit/only-with";
import mongoose, { mongo } from "mongoose";
import { expect, test } from "vitest";
import { isConflict, isDuplicateKey, isFinalFailure, isStoreFailure } from "./store-failure.ts";

const serverError = (code: number, errmsg: string): Error => new mongo.MongoServerError({ code, errmsg });

test("classifies a server's error as unavailability, regardless of its code and text", () => {
  const failures = [
    serverError(1, "deadlock detected"),
    serverError(1, ""),
    serverError(112, "WriteConflict"),
    serverError(251, "NoSuchTransaction"),
    serverError(189, "PrimarySteppedDown"),
    serverError(50, "operation exceeded time limit"),
    new mongo.MongoServerError({ errmsg: "no code at all" }),
  ];
  for (const failure of failures) expect(isStoreFailure(failure)).toBe(true);
});

test("maps errors of the driver itself to unavailability", () => {
  const failures = [
    new mongo.MongoNetworkError("connection 1 to 127.0.0.1 closed"),
    new mongo.MongoNotConnectedError("not connected"),
    new mongo.MongoTopologyClosedError(),
    new mongo.MongoBulkWriteError({ message: "broke off", code: 6, writeErrors: [] }, onlyWith({})),
  ];
  for (const failure of failures) expect(isStoreFailure(failure)).toBe(true);
});

test("recognizes a duplicate only by its code", () => {
  const duplicate = serverError(11000, "Duplicate key violation on the requested collection: Index 'a_1_b_1'");
  expect(isDuplicateKey(duplicate)).toBe(true);
  expect(isStoreFailure(duplicate)).toBe(false);
  expect(isDuplicateKey(serverError(1, "E11000 duplicate key error"))).toBe(false);
});

test("recognizes a write that lost against a concurrent one by its code", () => {
  // A duplicate, MongoDB's WriteConflict, and PostgreSQL's 40P01 and 40001 as FerretDB passes them on.
  const conflicts = [11_000, 112, 16_908_292, 16_777_220];
  expect(conflicts.map((code) => isConflict(serverError(code, "")))).toEqual([true, true, true, true]);
  const others = [serverError(1, "deadlock detected"), serverError(189, ""), new Error("deadlock detected"), null];
  expect(others.map(isConflict)).toEqual([false, false, false, false]);
});

test("rethrows programming errors and other unknown errors unchanged", () => {
  const mistakes = [
    new TypeError("undefined is not a function"),
    new mongoose.Error.ValidationError(),
    new mongoose.Error.CastError("Number", "x", "path"),
    new mongoose.Error.StrictModeError("path"),
    Object.assign(new Error("exit"), { code: 91 }),
    null,
    undefined,
    "MongoNetworkError",
    { hasErrorLabel: () => false },
  ];
  for (const mistake of mistakes) {
    expect(isStoreFailure(mistake)).toBe(false);
    expect(isDuplicateKey(mistake)).toBe(false);
  }
});

test.each([
  [13, "not authorized on events to execute command"],
  [18, "Authentication failed."],
  [14_031, "available disk space of 1 bytes is less than required minimum"],
  [462, "ingress request rate limit exceeded"],
])("treats %i as final, because another attempt would fail as well", (code, errmsg) => {
  expect(isFinalFailure(serverError(code, errmsg))).toBe(true);
});

test("treats every overload error of the server as permanent", () => {
  const overloaded = new mongo.MongoServerError({ code: 1, errmsg: "busy", errorLabels: ["SystemOverloadedError"] });
  expect(isFinalFailure(overloaded)).toBe(true);
});

test("treats a step-down, a deadlock and a lost connection as transient", () => {
  const failures = [
    serverError(189, "PrimarySteppedDown"),
    serverError(1, "deadlock detected"),
    new mongo.MongoNetworkError("connection 1 to 127.0.0.1 closed"),
  ];
  for (const failure of failures) expect(isFinalFailure(failure)).toBe(false);
});
