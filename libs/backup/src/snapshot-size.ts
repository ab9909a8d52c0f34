import type { MongoConnection } from "@platform/kit/store/schema";

/**
 * Maximum time to read a snapshot, in seconds. MongoDB keeps it readable for 300 s (minSnapshotHistoryWindowInSeconds),
 * so this leaves a margin of one minute.
 */
const snapshotSecondsMax = 240;
/**
 * Number of BSON bytes that one process reads, encodes, digests and compresses per second, measured with documents of
 * 600 bytes on one core.
 */
const bytesPerSecond = 10_000_000;
/** Size of the largest database that is read as one snapshot, in bytes. */
export const snapshotBytesMax = snapshotSecondsMax * bytesPerSecond;

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

/**
 * Rejects a database that cannot be read within the lifetime of one snapshot. Without this check, the backup would read
 * for minutes and then fail, every night.
 * @param bytesMax size of the BSON in bytes, uncompressed and without indexes
 */
export async function refuseLongSnapshot(connection: MongoConnection, bytesMax = snapshotBytesMax): Promise<void> {
  const { db } = connection;
  if (db === undefined) throw new Error("not connected");
  const bytes = Number((await db.command({ dbStats: 1 })).dataSize);
  if (bytes <= bytesMax) return;
  throw new Error(
    `${db.databaseName} holds ${gigabytes(bytes)}, and ${snapshotSecondsMax} s of one snapshot are enough for ${gigabytes(bytesMax)}: ` +
      "use Percona Backup for MongoDB or your provider's snapshots (docs/operations.md, Backup and restore)",
  );
}
