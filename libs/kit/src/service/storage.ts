import type { Keyring } from "../process/sealed.ts";
import { type MongoConnection, offlineConnection } from "../store/connect.ts";
import type { DataMigration } from "../store/data-migrations.ts";
import { createPutOffStore } from "../store/put-off-work.ts";
import type { SealedField } from "../store/reseal.ts";
import { type Sharding, shardingProblems } from "../store/sharding.ts";

/** The stores of a service, as the migration step and backups use them. */
export type ServiceStorage = {
  /** Opens every store on a connection. None may be missing, because the indexes of all stores are built. */
  readonly openStores: (connection: MongoConnection, keyring: Keyring) => unknown;
  readonly sharding: Sharding;
  readonly sealed: readonly SealedField[];
  /**
   * Changes to the form of documents, in the order of their names. A migration must stay in the list for as long as a
   * backup from before it may be restored.
   */
  readonly migrations?: readonly DataMigration[];
  /** Collections that record which process works on which items. They are not part of a backup. */
  readonly leases?: readonly string[];
  /**
   * Repairs the references that a backup of a running service may have missed. @returns how many records are missing
   * from the backup and cannot be recovered
   */
  readonly reconcile?: (connection: MongoConnection, say: (line: string) => void) => Promise<{ readonly lost: number }>;
};

/** Opens the stores of a service, and the one that `startService` adds. */
export function openStorage(storage: ServiceStorage, connection: MongoConnection, keyring: Keyring): void {
  storage.openStores(connection, keyring);
  createPutOffStore(connection);
}

/** Lists problems in the sharding that a service declares for its collections. */
export function storageProblems(storage: ServiceStorage): string[] {
  const connection = offlineConnection();
  openStorage(storage, connection, { current: new Uint8Array(32), previous: [] });
  return shardingProblems(connection, storage.sharding);
}
