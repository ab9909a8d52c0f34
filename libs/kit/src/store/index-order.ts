import type { Connection } from "mongoose";

const known = new WeakMap<Connection, Promise<boolean>>();

/**
 * Returns whether the server of a connection reads an index in the order in which a list is sorted. FerretDB over
 * PostgreSQL does not: it reads and sorts everything that matches, however small the page is. The response of its
 * buildInfo command has the field `ferretdb`.
 */
export function readsIndexInOrder(connection: Connection): Promise<boolean> {
  return known.getOrInsertComputed(connection, async () => {
    try {
      const info = await connection.db?.admin().buildInfo();
      return info?.ferretdb === undefined;
    } catch (error) {
      known.delete(connection);
      throw error;
    }
  });
}
