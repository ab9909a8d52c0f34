import { createHash, randomUUID } from "node:crypto";
import { type Document, MongoClient } from "mongodb";
import type { OwnStack } from "../own-stack.ts";
import { storeCopies } from "../stored-copies.ts";
import type { DayProject } from "./project.ts";

/** Number of resources among which an operator searches. */
export type Volume = { readonly deliveries: number; readonly accounts: number; readonly files: number };

export const fullVolume: Volume = { deliveries: 50_000, accounts: 10_000, files: 5_000 };

/** Resources of the volume that the tests look for. */
export type Seeded = { readonly lastNight: readonly string[] };

const hourMs = 3_600_000;
/** One delivery in this many failed last night. */
const failedEvery = 100;

/** Returns the email address of a person. The first person belongs to the project. */
export const personAddress = (n: number): string => `person-${n}@people.example`;

/**
 * Fills the stores with copies of what the project created, so that every document has the form that the services
 * write. Deliveries are spread over 30 days, and one in a hundred failed last night.
 */
export async function seed(own: OwnStack, project: DayProject, volume: Volume): Promise<Seeded> {
  const mongo = await MongoClient.connect(own.stack.mongodbUri);
  const nowMs = Date.now();
  const collection = (service: string, name: string) =>
    mongo.db(own.stack.databaseOf(service)).collection<Document>(name);
  /** Times are spread over the 30 days before this morning. */
  const atMsOf = (count: number) => (n: number) => nowMs - 20 * hourMs - Math.floor((n / count) * 30 * 24 * hourMs);
  const fill = (
    service: string,
    name: string,
    filter: Document,
    count: number,
    change: (copy: Document, n: number, atMs: number) => Document,
  ): Promise<Document[]> => {
    const atMs = atMsOf(count);
    return storeCopies(collection(service, name), filter, count, (copy, n) => change(copy, n, atMs(n)), atMs);
  };

  try {
    const endpoints = await fill(
      "notify",
      "delivery_endpoints",
      { _id: project.endpointId },
      volume.accounts,
      (copy, n) => ({
        ...copy,
        address: personAddress(n),
        address_hash: createHash("sha256").update("email").update("\0").update(personAddress(n)).digest("hex"),
      }),
    );
    const content = { subject: "Order shipped", text: "It left.", html: null };
    const failed = {
      status: "failed",
      provider_status: "unavailable",
      last_error_code: "smtp_451",
      attempts: 8,
      content,
    };
    const isLastNight = (n: number): boolean => n % failedEvery === 0;
    const deliveries = await fill(
      "notify",
      "deliveries",
      { endpoint_id: project.endpointId },
      volume.deliveries,
      (copy, n, atMs) => {
        const at = new Date(isLastNight(n) ? nowMs - 2 * hourMs - n : atMs);
        const endpointId = endpoints[n % endpoints.length]?._id;
        const delivery = { ...copy, endpoint_id: endpointId, intent_id: randomUUID(), created_at: at, finished_at: at };
        if (isLastNight(n)) return { ...delivery, ...failed };
        // One delivery in fifty has failed earlier and is not retried.
        return n % 50 === 1
          ? { ...delivery, ...failed, last_error_code: "smtp_550", provider_status: "rejected" }
          : delivery;
      },
    );
    await fill("identity", "platform_accounts", { _id: project.accountId }, volume.accounts, (copy, n, atMs) => ({
      ...copy,
      login_identifiers: [{ email: personAddress(n), verified_at: new Date(atMs) }],
    }));
    const sessions = {
      expires_at: new Date(nowMs + 24 * hourMs),
      authenticated_at: new Date(nowMs),
      last_seen_at: new Date(nowMs),
    };
    await fill("identity", "platform_sessions", {}, volume.accounts / 10, (copy) => ({
      ...copy,
      ...sessions,
      account_id: randomUUID(),
    }));
    const ofClient = { project_client_id: project.client.id };
    await fill("identity", "identity_migration_transactions", ofClient, volume.accounts / 10, (copy, n) => ({
      ...copy,
      legacy_subject: `member-${n}`,
      email: personAddress(n),
      email_normalized: personAddress(n),
    }));
    await fill("identity", "project_credentials", ofClient, 500, (copy, n) => ({
      ...copy,
      expires_at: n % 2 === 0 ? null : new Date(nowMs + (n + 1) * 24 * hourMs),
    }));
    await fill("files", "file_objects", ofClient, volume.files, (copy, n, atMs) => ({
      ...copy,
      uploaded_at: new Date(atMs),
      classified_at: new Date(atMs),
      ...(n % 20 === 0 ? { state: "rejected", rejection_reason: "malware", charged_bytes: 0 } : {}),
    }));
    await fill("files", "public_assets", ofClient, volume.files / 10, (copy) => ({
      ...copy,
      file_object_id: randomUUID(),
    }));
    await fill("events", "scheduled_runs", { operation_id: project.operationId }, volume.files, (copy, n, atMs) => ({
      ...copy,
      scheduled_for: new Date(atMs),
      state: n % 25 === 0 ? "failed" : "succeeded",
    }));
    await fill("ads", "campaigns", ofClient, 500, (copy) => copy);
    return {
      lastNight: deliveries
        .filter((_, n) => isLastNight(n))
        .map((_, n) => personAddress((n * failedEvery) % endpoints.length)),
    };
  } finally {
    await mongo.close();
  }
}
