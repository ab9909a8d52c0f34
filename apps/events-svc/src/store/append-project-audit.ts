import { setTimeout as delay } from "node:timers/promises";
import { newId } from "@platform/kit/process/secrets";
import { dependencyUnavailable } from "@platform/kit/rpc/errors";
import {
  addOnce,
  collectionOf,
  type IdempotencyClaim,
  idempotencyKeyReused,
  isDuplicateKey,
  mayRetry,
} from "@platform/kit/store/documents";
import { type AuditFact, type ChainEnd, commitTo, emptyChain, hashAudit } from "../domain/project-audit.ts";
import type { AuditModels, ProjectAuditDocument } from "./project-audit-model.ts";

/** Appends facts to the chains of Project Clients. */
export type AuditAppender = {
  /**
   * @throws ServiceError idempotency_key_reused; dependency_unavailable if other processes repeatedly took the next
   * position first
   */
  append(
    clientId: string,
    fact: AuditFact,
    claim: IdempotencyClaim,
    correlationId: string,
  ): Promise<{ id: string; replayed: boolean }>;
};

type Waiting = {
  readonly fact: AuditFact;
  readonly claim: IdempotencyClaim;
  readonly correlationId: string;
  /** Number of times that another process took this fact's position first. */
  lost: number;
  /** True if the fact was part of a command that failed. */
  hasFailed: boolean;
  resolve(result: { id: string; replayed: boolean }): void;
  reject(error: unknown): void;
};

const batchMax = 500;
const lostMax = 50;

/**
 * Creates the appender. Within this process, each client has one writer, so that facts that arrive together are
 * chained in memory and inserted by one ordered command. Between processes, the unique index (client, seq) decides:
 * the process that loses reads the end again and chains its facts again. An ordered insert stops at its first
 * failure, so the stored records are always a chain without gaps. After a failed command, a read shows which records
 * it has stored. See docs/decisions/0030-audit-hash-chain.md.
 */
export function createAuditAppender(models: AuditModels, clock: () => Date): AuditAppender {
  // A client has a queue exactly while its writer is running.
  const queues = new Map<string, Waiting[]>();
  const ends = new Map<string, ChainEnd>();

  const write = async (clientId: string, queue: Waiting[]): Promise<void> => {
    // Facts of the same event-loop tick share a command.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const batch = queue.splice(0, batchMax);
      try {
        const end = ends.get(clientId) ?? (await readChainEnd(models, clientId));
        ends.delete(clientId);
        const { newEnd, again } = await appendBatch(models, clientId, end, batch, clock());
        if (newEnd !== null) remember(ends, clientId, newEnd);
        queue.unshift(...again);
        if (again.length > 0) await delay(Math.random() * 5);
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    queues.delete(clientId);
  };

  return {
    append: (clientId, fact, claim, correlationId) =>
      new Promise((resolve, reject) => {
        const waiting: Waiting = { fact, claim, correlationId, lost: 0, hasFailed: false, resolve, reject };
        const queue = queues.get(clientId);
        if (queue !== undefined) return void queue.push(waiting);
        const started = [waiting];
        queues.set(clientId, started);
        void write(clientId, started);
      }),
  };
}

/** Caches the end of a chain. The cache contains the 10,000 chains that were written last. */
function remember(ends: Map<string, ChainEnd>, clientId: string, end: ChainEnd): void {
  ends.set(clientId, end);
  const oldest = ends.size > 10_000 ? ends.keys().next().value : undefined;
  if (oldest !== undefined) ends.delete(oldest);
}

/** Reads the end of a chain from its records, which are authoritative because the head may be older after a crash. */
export async function readChainEnd({ audits }: AuditModels, clientId: string): Promise<ChainEnd> {
  const last = await audits
    .findOne({ project_client_id: clientId }, { seq: 1, hash: 1 })
    .sort({ seq: -1 })
    .lean<ChainEnd | null>();
  return last === null ? emptyChain : { seq: last.seq, hash: last.hash };
}

/**
 * Chains and inserts a batch of facts.
 * @returns the new end, or null if it must be read again; and the facts that must be chained again
 */
async function appendBatch(
  models: AuditModels,
  clientId: string,
  end: ChainEnd,
  batch: readonly Waiting[],
  now: Date,
): Promise<{ newEnd: ChainEnd | null; again: Waiting[] }> {
  const documents = chain(clientId, end, batch, now);
  const startedAtMs = performance.now();
  try {
    await collectionOf(models.audits).insertMany(documents, { ordered: true });
  } catch (error) {
    if (!isDuplicateKey(error)) {
      if (batch.some(({ hasFailed }) => hasFailed) || !(await mayRetry(error, startedAtMs))) throw error;
      for (const waiting of batch) waiting.hasFailed = true;
    }
    return { newEnd: null, again: await settleFailed(models, clientId, documents, batch) };
  }
  settleInBackground(models, clientId, documents, batch);
  const last = documents.at(-1);
  return { newEnd: last === undefined ? end : { seq: last.seq, hash: last.hash }, again: [] };
}

/**
 * Reads which facts a failed command or an earlier request has stored, and settles them.
 * @returns the facts that are not stored: they were not attempted, or another process took their position
 */
async function settleFailed(
  models: AuditModels,
  clientId: string,
  documents: readonly ProjectAuditDocument[],
  batch: readonly Waiting[],
): Promise<Waiting[]> {
  const keys = [...new Set(documents.map(({ idempotency_key }) => idempotency_key))];
  const found = await collectionOf(models.audits)
    .find({ project_client_id: clientId, idempotency_key: { $in: keys } }, { batchSize: batchMax })
    .toArray();
  const holders = new Map(found.map((document) => [document.idempotency_key, document]));
  const repeats = new Map<ProjectAuditDocument, Waiting[]>();
  const again: Waiting[] = [];
  let stored = 0;
  for (const [index, waiting] of batch.entries()) {
    const holder = holders.get(waiting.claim.key);
    if (holder === undefined) again.push(waiting);
    else if (holder._id === documents[index]?._id) stored = index + 1;
    else repeats.set(holder, [...(repeats.get(holder) ?? []), waiting]);
  }
  settleInBackground(models, clientId, documents.slice(0, stored), batch);
  for (const [earlier, waiting] of repeats) void answerEarlier(models, clientId, earlier, waiting);
  const [first] = again;
  if (first === undefined) return again;
  first.lost += 1;
  if (first.lost <= lostMax) return again;
  first.reject(dependencyUnavailable());
  return again.slice(1);
}

function chain(clientId: string, end: ChainEnd, batch: readonly Waiting[], now: Date): ProjectAuditDocument[] {
  let { seq, hash } = end;
  return batch.map(({ fact, claim, correlationId }) => {
    seq += 1;
    const id = newId();
    const commitments = commitTo(fact);
    const record = { project_client_id: clientId, seq, ...fact, commitments, recorded_at: now, previous_hash: hash };
    hash = hashAudit({ id, ...record });
    const claimed = { idempotency_key: claim.key, idempotency_fingerprint: claim.fingerprint };
    return { _id: id, ...record, hash, ...claimed, correlation_id: correlationId };
  });
}

/**
 * Advances the head, and then resolves the facts. In the meantime, the writer inserts the next batch. A fact is
 * acknowledged only once the head covers it, so removing an acknowledged record from the end of the chain is always
 * detected.
 */
function settleInBackground(
  models: AuditModels,
  clientId: string,
  inserted: readonly ProjectAuditDocument[],
  batch: readonly Waiting[],
): void {
  const last = inserted.at(-1);
  if (last === undefined) return;
  const settled = batch.slice(0, inserted.length);
  moveHead(models, clientId, last).then(
    () => {
      for (const [index, { _id }] of inserted.entries()) settled[index]?.resolve({ id: _id, replayed: false });
    },
    (error: unknown) => {
      for (const { reject } of settled) reject(error);
    },
  );
}

/** Advances the head to a record. Several processes may do this in any order; the head never moves back. */
async function moveHead({ heads }: AuditModels, clientId: string, { seq, hash }: ChainEnd): Promise<void> {
  await addOnce(collectionOf(heads), clientId, { seq: { $lt: seq } }, { $set: { seq, hash } });
}

/** Responds to a fact whose key was used before: the same fact gets the same id, and a different fact is rejected. */
async function answerEarlier(
  models: AuditModels,
  clientId: string,
  earlier: ProjectAuditDocument,
  repeats: readonly Waiting[],
): Promise<void> {
  try {
    await moveHead(models, clientId, earlier);
    for (const { claim, resolve, reject } of repeats) {
      if (claim.fingerprint === earlier.idempotency_fingerprint) resolve({ id: earlier._id, replayed: true });
      else reject(idempotencyKeyReused());
    }
  } catch (error) {
    for (const { reject } of repeats) reject(error);
  }
}
