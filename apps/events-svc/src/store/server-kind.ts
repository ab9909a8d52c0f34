import type { Connection } from "mongoose";

/** True if the database is a replica set (or behind mongos), which can read snapshots. */
export async function isReplicaSet(connection: Connection): Promise<boolean> {
  const hello = await connection.db?.admin().command({ hello: 1 });
  return hello?.setName !== undefined || hello?.msg === "isdbgrid";
}
