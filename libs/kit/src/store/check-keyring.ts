import type { Connection } from "mongoose";
import type { Health } from "../process/health.ts";
import type { Logger } from "../process/logger.ts";
import { type Keyring, keyIdOf, open, seal } from "../process/sealed.ts";
import { insertOrFind } from "./insert-or-find.ts";

type KeyringCheck = { readonly _id: string; readonly sealed: string };

const id = "service_key";
const purpose = "keyring-check";

/**
 * Compares the service's keys with its database at startup. Each database contains one small document that was
 * encrypted at the first start. If the keys cannot decrypt it, they belong to another stack, or one was lost in a
 * rotation. The service then reports this in its log and at `/readyz`, and continues to serve the requests that it can.
 * After a rotation, the document is encrypted again.
 */
export async function checkKeyring(
  connection: Connection,
  keyring: Keyring,
  { logger, health }: { readonly logger: Logger; readonly health: Health },
): Promise<void> {
  const checks = connection.collection<KeyringCheck>("keyring_checks");
  const made: KeyringCheck = { _id: id, sealed: seal(keyring, purpose, id) };
  const find = () => checks.findOne({ _id: id }) as Promise<KeyringCheck | null>;
  const insert = () => checks.insertOne(made);
  // Of processes that start at the same time, only one can insert the document, because its id is always the same. Each
  // process then reads the stored document.
  const { sealed } = (await find()) ?? (await insertOrFind(made, insert, find).then(find)) ?? made;
  const keyId = sealed.slice(0, sealed.indexOf("."));
  if (!opens(keyring, sealed)) {
    const text = `SERVICE_KEY does not open what this database holds, which key ${keyId} has sealed: give that key in SERVICE_KEY_PREVIOUS, or keep stacks on one server apart by MONGODB_DATABASE_PREFIX`;
    logger.error({ component: "keyring" }, text);
    health.addNote("keyring", text);
  } else if (keyId !== keyIdOf(keyring.current)) {
    await checks.updateOne({ _id: id, sealed }, { $set: { sealed: made.sealed } });
  }
}

function opens(keyring: Keyring, sealed: string): boolean {
  try {
    return open(keyring, purpose, sealed) === id;
  } catch {
    return false;
  }
}
