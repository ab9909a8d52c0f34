import type { Connection } from "mongoose";

/** Returns whether the database can read snapshots, which is the case for a replica set and behind mongos. */
export async function isReplicaSet(connection: Connection): Promise<boolean> {
  const hello = await connection.db?.admin().command({ hello: 1 });
  return hello?.setName !== undefined || hello?.msg === "isdbgrid";
}
