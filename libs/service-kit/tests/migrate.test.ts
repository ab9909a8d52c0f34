import { migrate } from "@platform/service-kit/service/migrate";
import { startTestMongo } from "@platform/test-kit/mongo";
import { Schema } from "mongoose";
import { expect, test } from "vitest";

test("builds the indexes of every collection, and reports them", async () => {
  const mongo = await startTestMongo();
  const lines: string[] = [];
  const found: string[] = [];
  try {
    await migrate(
      {
        mongo: { uri: mongo.uri, database: mongo.database, autoIndex: false },
        keyring: { current: new Uint8Array(32), previous: [] },
      },
      (connection) => {
        for (const name of ["first", "second"])
          connection.model(name, new Schema({ at: Date }, { collection: name }).index({ at: 1 }));
        connection.on("close", () => found.push("closed"));
      },
      (line) => lines.push(line),
    );
    expect(lines).toEqual([
      "indexes of first are built (1 of 3)",
      "indexes of second are built (2 of 3)",
      "indexes of operator_actions are built (3 of 3)",
    ]);
    expect(found).toEqual(["closed"]);
  } finally {
    await mongo.close();
  }
});
