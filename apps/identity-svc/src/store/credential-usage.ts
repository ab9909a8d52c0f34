import { defined } from "@platform/kit/process/fields";
import { addReport, collectionOf } from "@platform/kit/store/documents";
import type { UsageReport } from "@platform/operator-plane/usage";
import { createErasedClients } from "@platform/operator-plane/usage/store";
import { type Connection, Schema } from "mongoose";

/** Requests of a credential for an operation in an hour or a day. */
export type CredentialUsage = {
  readonly at: Date;
  readonly credentialId: string;
  readonly operation: string;
  readonly count: number;
};

/** Key of a count, which consists of a client and its credential. */
type CredentialReport = Omit<UsageReport, "counts"> & {
  readonly counts: readonly (CredentialUsage & { readonly clientId: string })[];
};

type CredentialUsageDocument = {
  /** Consists of client, credential and hour. */
  _id: string;
  project_client_id: string;
  credential_id: string;
  hour: Date;
  /** Counts by family and name of the operation, which an id joins by a dot. */
  operations: Record<string, Record<string, number>>;
  /** The last report of each process that the counts include. */
  reports: Record<string, number>;
};

const keptSeconds = 400 * 86_400;
const dayMs = 86_400_000;

const schema = new Schema<CredentialUsageDocument>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    credential_id: { type: String, required: true },
    hour: { type: Date, required: true },
    operations: { type: Schema.Types.Mixed, required: true },
    reports: { type: Schema.Types.Mixed, required: true },
  },
  { collection: "credential_usage", strict: "throw", versionKey: false, minimize: false },
);
schema.index({ project_client_id: 1, hour: 1, credential_id: 1 });
schema.index({ hour: 1 }, { expireAfterSeconds: keptSeconds });

/** Requests by credential, operation and hour, kept for 400 days. */
export function createCredentialUsageStore(connection: Connection) {
  const model = connection.model<CredentialUsageDocument>("CredentialUsage", schema);
  const collection = collectionOf(model);
  const erased = createErasedClients(model, "hour");
  return {
    /** Adds a report. Each count includes it once, so a report whose response was lost can be sent again. */
    record: async (report: CredentialReport): Promise<void> => {
      const documents = Map.groupBy(
        report.counts,
        ({ clientId, credentialId, at }) => `${clientId} ${credentialId} ${at.toISOString()}`,
      );
      await addReport(
        collection,
        report,
        [...documents].flatMap(([id, counts]) => {
          const [first] = counts;
          if (first === undefined) return [];
          const byOperation = counts.map(({ operation, count }) => [`operations.${operation}`, count]);
          const fields = {
            project_client_id: first.clientId,
            credential_id: first.credentialId,
            hour: first.at,
          };
          return [{ id, counts: Object.fromEntries(byOperation), fields }];
        }),
      );
      await erased.removeErased(new Set(report.counts.map(({ clientId }) => clientId)));
    },
    /** Removes a client's counts permanently. @returns how many documents */
    forget: erased.forget,
    /** A client's counts from an hour on, oldest first. */
    list: async (
      clientId: string,
      credentialId: string | null,
      since: Date,
      by: "hour" | "day",
    ): Promise<CredentialUsage[]> => {
      const filter = {
        project_client_id: clientId,
        hour: { $gte: since },
        ...defined({ credential_id: credentialId }),
      };
      const found = await collection.find(filter).sort({ hour: 1, credential_id: 1 }).toArray();
      const sums = new Map<string, CredentialUsage>();
      for (const { hour, credential_id, operations } of found) {
        const at = by === "hour" ? hour : new Date(Math.floor(hour.getTime() / dayMs) * dayMs);
        for (const [operation, count] of countsOf(operations)) {
          const name = `${at.getTime()} ${credential_id} ${operation}`;
          const sum = (sums.get(name)?.count ?? 0) + count;
          sums.set(name, { at, credentialId: credential_id, operation, count: sum });
        }
      }
      return [...sums.values()];
    },
  };
}

const countsOf = (operations: CredentialUsageDocument["operations"]): [string, number][] =>
  Object.entries(operations).flatMap(([family, names]) =>
    Object.entries(names).map(([name, count]): [string, number] => [`${family}.${name}`, count]),
  );
