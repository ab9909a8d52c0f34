import { type Keyring, open } from "@platform/service-kit/secrets/sealed";
import type { ScheduledOperationDocument, ScheduleModels } from "./scheduled-operation-model.ts";
import { purposeOf } from "./scheduled-operations.ts";

/** An operation as a worker needs it to call. Only its secret changes once it is registered. */
export type CallableOperation = {
  readonly id: string;
  readonly environment: string;
  readonly name: string;
  readonly origin: string;
  /** Path and query of its url. */
  readonly path: string;
  /** Null when no key of the keyring opens it. */
  readonly secret: string | null;
  /** The secret before, which signs too until its overlap ends; null when there is none. */
  readonly previous: { readonly secret: string; readonly until: Date } | null;
  /** When the secret was last replaced; 0 when it never was. */
  readonly rotatedAtMs: number;
};

/** Finds the operations of some runs; those that are disabled or gone are left out. */
export type CallableFinder = (ids: readonly string[]) => Promise<Map<string, CallableOperation>>;

const rememberedMax = 10_000;
const rememberedMs = 60_000;

/**
 * A finder that keeps what it read, with the secret opened, for a minute. Whether an operation is disabled and whether its secret was replaced
 * can change, and is asked each time, in a form that usually answers nothing.
 */
export function createCallableFinder({ operations }: ScheduleModels, keyring: Keyring): CallableFinder {
  const remembered = new Map<string, { readonly callable: CallableOperation; readonly untilMs: number }>();

  const remember = (callable: CallableOperation): void => {
    // Perhaps a key comes back; and one that is missing must not be forgotten about.
    if (callable.secret === null) return;
    remembered.delete(callable.id);
    remembered.set(callable.id, { callable, untilMs: performance.now() + rememberedMs });
    const oldest = remembered.size > rememberedMax ? remembered.keys().next().value : undefined;
    if (oldest !== undefined) remembered.delete(oldest);
  };
  const read = async (ids: readonly string[]): Promise<CallableOperation[]> => {
    if (ids.length === 0) return [];
    const found = await operations
      .find({ _id: { $in: ids }, status: "active" })
      .batchSize(ids.length + 1)
      .lean<ScheduledOperationDocument[]>();
    return found.map((document) => toCallable(keyring, document));
  };
  /** Which of those known are disabled, and which have another secret by now. */
  const changesOf = async (known: readonly CallableOperation[]) => {
    const changes = { disabled: new Set<string>(), rotated: [] as string[] };
    if (known.length === 0) return changes;
    const rotatedAtMs = new Map(known.map((each) => [each.id, each.rotatedAtMs]));
    const found = await operations.collection
      .find(
        {
          _id: { $in: [...rotatedAtMs.keys()] },
          $or: [{ status: "disabled" }, { secret_rotated_at: { $exists: true } }],
        } as never,
        { projection: { status: 1, secret_rotated_at: 1 }, batchSize: known.length + 1 },
      )
      .toArray();
    for (const { _id, status, secret_rotated_at: rotatedAt } of found as unknown as ScheduledOperationDocument[]) {
      if (status === "disabled") changes.disabled.add(_id);
      else if (rotatedAt !== undefined && rotatedAt.getTime() !== rotatedAtMs.get(_id)) changes.rotated.push(_id);
    }
    return changes;
  };

  return async (ids) => {
    // Real time, not the worker's clock: it bounds how old what is kept may be.
    const nowMs = performance.now();
    const known = ids.flatMap((id) => {
      const kept = remembered.get(id);
      return kept !== undefined && kept.untilMs > nowMs ? [kept.callable] : [];
    });
    const isKnown = new Set(known.map(({ id }) => id));
    const [{ disabled, rotated }, unknown] = await Promise.all([
      changesOf(known),
      read(ids.filter((id) => !isKnown.has(id))),
    ]);
    const renewed = await read(rotated);
    for (const callable of [...unknown, ...renewed]) remember(callable);
    // What was read last stands for what was kept.
    return new Map(
      [...known.filter(({ id }) => !disabled.has(id) && !rotated.includes(id)), ...unknown, ...renewed].map(
        (callable) => [callable.id, callable],
      ),
    );
  };
}

function toCallable(keyring: Keyring, document: ScheduledOperationDocument): CallableOperation {
  // It was checked when it was registered; one that is none all the same fails as a try.
  const url = URL.parse(document.url);
  return {
    id: document._id,
    environment: document.environment,
    name: document.name,
    origin: url?.origin ?? "",
    path: `${url?.pathname}${url?.search}`,
    secret: openOrNull(keyring, document._id, document.secret_sealed),
    previous: previousOf(keyring, document),
    rotatedAtMs: document.secret_rotated_at?.getTime() ?? 0,
  };
}

function previousOf(keyring: Keyring, document: ScheduledOperationDocument): CallableOperation["previous"] {
  const { _id, previous_secret_sealed: sealed, previous_secret_until: until } = document;
  const secret = sealed === undefined || until === undefined ? null : openOrNull(keyring, _id, sealed);
  return secret === null || until === undefined ? null : { secret, until };
}

function openOrNull(keyring: Keyring, operationId: string, sealed: string): string | null {
  try {
    return open(keyring, purposeOf(operationId), sealed);
  } catch {
    // One operation sealed under a lost key must not stop the others' claims.
    return null;
  }
}
