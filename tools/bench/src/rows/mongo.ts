import type { Contender, Row } from "../row.ts";

/** How fast the MongoDB under the stack is: on a machine without mongod, the embedded engine. */
export const embeddedMongoRow: Row = {
  id: "MONGO",
  title: "Inserts and indexed finds on the stack's MongoDB, 50 callers",
  run: async (bench) => {
    const { stack } = await bench.platform();
    const contender = (what: "insert" | "find"): Contender => ({
      name: what === "insert" ? "insertOne, journaled" : "findOne by a unique index",
      role: "baseline",
      unit: `${what}s/s`,
      run: (durationMs) => bench.generator.run("mongo", { what, uri: stack.mongodbUri, inFlight: 50, durationMs }),
    });
    return { measured: await bench.measure([contender("insert"), contender("find")]), checks: [], notes: [] };
  },
};
