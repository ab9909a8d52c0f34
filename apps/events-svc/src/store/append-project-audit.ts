import { setTimeout as delay } from "node:timers/promises";
import { dependencyUnavailable } from "@platform/service-kit/errors/service-error";
import { isDuplicateKey } from "@platform/service-kit/mongo/connect";
import { writeErrorsOf } from "@platform/service-kit/mongo/group-commit";
import { type IdempotencyClaim, idempotencyKeyReused } from "@platform/service-kit/mongo/insert-once";
import { newId } from "@platform/service-kit/secrets/id";
import { type AuditFact, type ChainEnd, emptyChain, hashAudit } from "../domain/project-audit.ts";
import type { AuditModels, ProjectAuditDocument } from "./project-audit-model.ts";

/** Appends facts to the chains of Project Clients. */
export type AuditAppender = {
  /** @throws ServiceError idempotency_key_reused; dependency_unavailable when other processes kept winning the chain's next place */
  append(clientId: string, fact: AuditFact, claim: IdempotencyClaim): Promise<{ id: string; replayed: boolean }>;
};

type Waiting = {
  readonly fact: AuditFact;
  readonly claim: IdempotencyClaim;
  /** Times another process took the place this fact was given. */
  lost: number;
  resolve(result: { id: string; replayed: boolean }): void;
  reject(error: unknown): void;
};

const batchMax = 500;
const lostMax = 50;

/**
 * One writer for each client within this process, so that facts that arrive together are chained in memory and inserted by one ordered
 * command. Between processes the unique index (client, seq) decides: who loses reads the end again and chains anew. An ordered insert
 * stops at its first failure, so what is stored is always a chain without a gap. See docs/decisions/0030-audit-hash-chain.md.
 */
export function createAuditAppender(models: AuditModels, clock: () => Date): AuditAppender {
  // A client has a queue exactly while its writer runs.
  const queues = new Map<string, Waiting[]>();
  const ends = new Map<string, ChainEnd>();

  const write = async (clientId: string, queue: Waiting[]): Promise<void> => {
    // The facts of the same turn go together.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const batch = queue.splice(0, batchMax);
      try {
        const end = ends.get(clientId) ?? (await readChainEnd(models, clientId));
        ends.delete(clientId);
        const { newEnd, again } = await appendBatch(models, clientId, end, batch, clock());
        if (newEnd !== null) remember(ends, clientId, newEnd);
        queue.unshift(...again);
        if (newEnd === null) await delay(Math.random() * 5);
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    queues.delete(clientId);
  };

  return {
    append: (clientId, fact, claim) =>
      new Promise((resolve, reject) => {
        const waiting: Waiting = { fact, claim, lost: 0, resolve, reject };
        const queue = queues.get(clientId);
        if (queue !== undefined) return void queue.push(waiting);
        const started = [waiting];
        queues.set(clientId, started);
        void write(clientId, started);
      }),
  };
}

/** Keeps the ends of the 10,000 chains written last. */
function remember(ends: Map<string, ChainEnd>, clientId: string, end: ChainEnd): void {
  ends.set(clientId, end);
  const oldest = ends.size > 10_000 ? ends.keys().next().value : undefined;
  if (oldest !== undefined) ends.delete(oldest);
}

/** The end of the chain as the records have it. They, not the head, are the truth: a crash may have left the head behind. */
export async function readChainEnd({ audits }: AuditModels, clientId: string): Promise<ChainEnd> {
  const last = await audits
    .findOne({ project_client_id: clientId }, { seq: 1, hash: 1 })
    .sort({ seq: -1 })
    .lean<ChainEnd | null>();
  return last === null ? emptyChain : { seq: last.seq, hash: last.hash };
}

/**
 * Chains and inserts a batch.
 * @returns the new end, or null when it must be read again; and the facts to chain again
 */
async function appendBatch(
  models: AuditModels,
  clientId: string,
  end: ChainEnd,
  batch: readonly Waiting[],
  now: Date,
): Promise<{ newEnd: ChainEnd | null; again: Waiting[] }> {
  const documents = chain(clientId, end, batch, now);
  try {
    await models.audits.collection.insertMany(documents as never, { ordered: true });
  } catch (error) {
    const [failure] = writeErrorsOf(error) ?? [];
    if (failure === undefined) throw error;
    const [index, cause] = failure;
    const failed = batch[index];
    if (failed === undefined) throw error;
    const last = documents[index - 1];
    settleInBackground(models, clientId, documents.slice(0, index), batch);
    const after = batch.slice(index + 1);
    if (isDuplicateKey(cause, "idempotency_key")) {
      // Every other repeat of this key would fail the same way, one command each: answer them all now.
      const isRepeat = ({ claim }: Waiting): boolean => claim.key === failed.claim.key;
      void answerEarlier(models, clientId, failed.claim.key, [failed, ...after.filter(isRepeat)]);
      const again = after.filter((waiting) => !isRepeat(waiting));
      return { newEnd: last === undefined ? end : { seq: last.seq, hash: last.hash }, again };
    }
    if (!isDuplicateKey(cause, "seq")) {
      failed.reject(cause);
      return { newEnd: null, again: after };
    }
    failed.lost += 1;
    if (failed.lost <= lostMax) return { newEnd: null, again: [failed, ...after] };
    failed.reject(dependencyUnavailable(cause));
    return { newEnd: null, again: after };
  }
  settleInBackground(models, clientId, documents, batch);
  const last = documents.at(-1);
  return { newEnd: last === undefined ? end : { seq: last.seq, hash: last.hash }, again: [] };
}

function chain(clientId: string, end: ChainEnd, batch: readonly Waiting[], now: Date): ProjectAuditDocument[] {
  let { seq, hash } = end;
  return batch.map(({ fact, claim }) => {
    seq += 1;
    const id = newId();
    const record = { project_client_id: clientId, seq, ...fact, recorded_at: now, previous_hash: hash };
    hash = hashAudit({ id, ...record });
    return { _id: id, ...record, hash, idempotency_key: claim.key, idempotency_fingerprint: claim.fingerprint };
  });
}

/**
 * Moves the head, then answers. Not awaited by the writer: the next batch is inserted meanwhile. A fact is acknowledged only when the
 * head covers it, so that no acknowledged record can be cut off unseen.
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

/** Sets the head to a record unless it is there or further already; heads of several processes may arrive in any order. */
async function moveHead({ heads }: AuditModels, clientId: string, end: ChainEnd): Promise<void> {
  try {
    await heads.collection.updateOne(
      { _id: clientId, seq: { $lt: end.seq } } as never,
      { $set: { seq: end.seq, hash: end.hash } },
      { upsert: true },
    );
  } catch (error) {
    // The head exists and is further on: the upsert tried to insert a second one.
    if (!isDuplicateKey(error)) throw error;
  }
}

/** The key was used before: the same fact gets the same id, another one is refused. */
async function answerEarlier(
  models: AuditModels,
  clientId: string,
  key: string,
  repeats: readonly Waiting[],
): Promise<void> {
  try {
    const earlier = await models.audits
      .findOne({ project_client_id: clientId, idempotency_key: key })
      .lean<ProjectAuditDocument | null>();
    if (earlier === null) throw new Error("an audit vanished between its insert and its replay");
    await moveHead(models, clientId, earlier);
    for (const { claim, resolve, reject } of repeats) {
      if (claim.fingerprint === earlier.idempotency_fingerprint) resolve({ id: earlier._id, replayed: true });
      else reject(idempotencyKeyReused());
    }
  } catch (error) {
    for (const { reject } of repeats) reject(error);
  }
}
