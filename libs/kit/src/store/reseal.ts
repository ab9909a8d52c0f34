import type { Connection } from "mongoose";
import { type Keyring, keyIdOf, open, seal } from "../process/sealed.ts";

/** A field that contains encrypted secrets, and the purpose for which each was encrypted. */
export type SealedField = {
  readonly collection: string;
  readonly field: string;
  readonly purposeOf: (id: string) => string;
};

/**
 * Encrypts secrets that were encrypted with a previous key of the keyring again with the current key, so that the
 * previous key can be removed. It can run while the service is running: a secret that changes in the meantime is left
 * unchanged.
 * @returns the number of secrets that were encrypted again, and the fields that no key of the keyring decrypts
 */
export async function resealAll(
  connection: Connection,
  keyring: Keyring,
  fields: readonly SealedField[],
): Promise<{ resealed: number; unopened: string[] }> {
  const current = `${keyIdOf(keyring.current)}.`;
  let resealed = 0;
  const unopened: string[] = [];
  for (const { collection: name, field, purposeOf } of fields) {
    const collection = connection.collection(name);
    const cursor = collection.find({ [field]: { $type: "string" } }, { projection: { [field]: 1 } });
    for await (const document of cursor) {
      const [id, sealed] = [String(document._id), String(document[field])];
      if (sealed.startsWith(current)) continue;
      let again: string;
      try {
        again = seal(keyring, purposeOf(id), open(keyring, purposeOf(id), sealed));
      } catch {
        unopened.push(`${name} ${id} ${field}`);
        continue;
      }
      await collection.updateOne({ _id: document._id, [field]: sealed }, { $set: { [field]: again } });
      resealed += 1;
    }
  }
  return { resealed, unopened };
}
