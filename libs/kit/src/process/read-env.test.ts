import { expect, test } from "vitest";
import { z } from "zod";
import { mongoEnv, mongoSettings, readEnv } from "./read-env.ts";

const read = (env: NodeJS.ProcessEnv) => mongoSettings(readEnv(z.object(mongoEnv("events")), env));
const uri = "mongodb://127.0.0.1:27017";

test("names the database after the service, with the stack's prefix before it", () => {
  expect(read({ MONGODB_URI: uri })).toEqual({ uri, database: "events", autoIndex: true });
  expect(read({ MONGODB_URI: uri, MONGODB_DATABASE_PREFIX: "" }).database).toBe("events");
  expect(read({ MONGODB_URI: uri, MONGODB_DATABASE_PREFIX: "staging_" }).database).toBe("staging_events");
  expect(read({ MONGODB_URI: uri, MONGODB_DATABASE_PREFIX: "b-", MONGODB_DATABASE: "log" }).database).toBe("b-log");
});

test("refuses a prefix that database names cannot have", () => {
  for (const prefix of ["a.b", "a/b", "a b", "$", "x".repeat(41)])
    expect(() => read({ MONGODB_URI: uri, MONGODB_DATABASE_PREFIX: prefix })).toThrow("MONGODB_DATABASE_PREFIX");
});
