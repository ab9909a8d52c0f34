import { type Keyring, open } from "@platform/service-kit/secrets/sealed";
import type { ScheduledOperationDocument, ScheduleModels } from "./scheduled-operation-model.ts";
import { purposeOf } from "./scheduled-operations.ts";

/** An operation as a worker needs it to call. None of it changes once it is registered. */
export type CallableOperation = {
  readonly id: string;
  readonly environment: string;
  readonly name: string;
  readonly origin: string;
  /** Path and query of its url. */
  readonly path: string;
  /** Null when no key of the keyring opens it. */
  readonly secret: string | null;
};

/** Finds the operations of some runs; those that are disabled or gone are left out. */
export type CallableFinder = (ids: readonly string[]) => Promise<Map<string, CallableOperation>>;

const rememberedMax = 10_000;
const rememberedMs = 60_000;

/**
 * A finder that keeps what it read, with the secret opened, for a minute: it never changes. Whether an operation is disabled can change, and
 * is asked each time, in a form that usually answers nothing.
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
  const disabledOf = async (ids: readonly string[]): Promise<Set<string>> => {
    if (ids.length === 0) return new Set();
    const found = await operations.collection
      .find({ _id: { $in: ids }, status: "disabled" } as never, { projection: { _id: 1 }, batchSize: ids.length + 1 })
      .toArray();
    return new Set(found.map(({ _id }) => String(_id)));
  };

  return async (ids) => {
    // Real time, not the worker's clock: it bounds how old what is kept may be.
    const nowMs = performance.now();
    const known = ids.flatMap((id) => {
      const kept = remembered.get(id);
      return kept !== undefined && kept.untilMs > nowMs ? [kept.callable] : [];
    });
    const knownIds = known.map(({ id }) => id);
    const isKnown = new Set(knownIds);
    const [disabled, unknown] = await Promise.all([disabledOf(knownIds), read(ids.filter((id) => !isKnown.has(id)))]);
    for (const callable of unknown) remember(callable);
    return new Map(
      [...known.filter(({ id }) => !disabled.has(id)), ...unknown].map((callable) => [callable.id, callable]),
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
    secret: openOrNull(keyring, document),
  };
}

function openOrNull(keyring: Keyring, document: ScheduledOperationDocument): string | null {
  try {
    return open(keyring, purposeOf(document._id), document.secret_sealed);
  } catch {
    // One operation sealed under a lost key must not stop the others' claims.
    return null;
  }
}
