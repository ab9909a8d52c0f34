import { randomUUID } from "node:crypto";
import { createCoalescer } from "../process/coalescer.ts";
import { collectionOf, type StoredUpdate } from "../store/collection-of.ts";
import type { MongoConnection } from "../store/connect.ts";
import { commandErrors } from "../store/group-commit.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An update of a document that does not change the fields of its lease. */
export type LeaseUpdate = {
  readonly $set?: Fields;
  readonly $inc?: Readonly<Record<string, number>>;
  readonly $push?: Fields;
  readonly $unset?: Fields;
};

/** Where the fields of a work item are in a document, and the conditions of a claim. */
type LeaseQueueOptions = {
  readonly clock: () => Date;
  readonly leaseMs: number;
  /** Path of the date from which an item may be claimed. Once the item is finished, the date is missing or null. */
  readonly due: string;
  /**
   * Path of the date until which a claim lasts. By default it is the path of `due`, so that an item whose lease has
   * expired is simply due again.
   */
  readonly leasedUntil?: string;
  /** Path of the claim's token, which is needed to claim several items in one command. */
  readonly claim?: string;
  /** Path of the counter of attempts, which each claim increments. */
  readonly attempts?: string;
  /** Fields that identify the item within its document. Set them if another item may replace it there. */
  readonly identity?: readonly string[];
  /** Additional conditions: `waiting` applies to a claim, and `held` to every write while the claim lasts. */
  readonly waiting?: Fields;
  readonly held?: Fields;
  /** Further fields that a claim sets. */
  readonly onClaim?: (now: Date) => Fields;
  /** Fields that a claim does not read. */
  readonly unread?: readonly string[];
};

/** A work item that this process holds by lease. */
export type Claim<D> = {
  readonly document: D;
  /** Matches the item only while this claim holds it: the fencing token of every later write. */
  readonly fence: Fields;
  /** Time until which the lease certainly lasts; renewing extends it. */
  leasedUntil: Date;
};

/**
 * A queue of work items that are stored in documents, claimed by lease and processed at least once. If a process dies,
 * its leases expire. A process that was paused for longer than its leases cannot write an outcome, because every write
 * requires that its claim is still valid.
 */
export type LeaseQueue<D> = {
  /** Claims those of the given items that are still waiting and due; another process may have claimed some. */
  claimMany(ids: readonly string[]): Promise<Claim<D>[]>;
  /** Claims the item that has been due longest. @param where an additional condition */
  claimNext(where?: Fields): Promise<Claim<D> | null>;
  /** True if this process certainly still holds the item. Check it before anything that must not be done twice. */
  isHeld(claim: Claim<D>): boolean;
  /** Renews every open claim of this process by one command. */
  renewAll(): Promise<void>;
  /** Ends a claim by an update of its item. Returns false if the lease was lost, in which case nothing was written. */
  settle(claim: Claim<D>, update: LeaseUpdate): Promise<boolean>;
  /**
   * Settles many items: concurrent calls share one command, and items of one claim with the same update share one
   * statement. Rejects if it is unknown whether the update was written. The queue must have a `claim`.
   */
  settleTogether(claim: Claim<D>, update: LeaseUpdate): Promise<void>;
  /** Ends a claim and makes its item due again at `dueAt`. Returns false if the lease was lost. */
  putOff(claim: Claim<D>, dueAt: Date, update?: LeaseUpdate): Promise<boolean>;
  /** Stops renewing a claim, so that its lease expires. */
  leave(claim: Claim<D>): void;
};

type Statement = { readonly q: Fields; readonly u: object; readonly multi?: true };

const writtenTogetherMax = 500;
const durable = { w: "majority", j: true, wtimeout: 5_000 } as const;

/** @param model of the documents that contain the work */
export function createLeaseQueue<D extends object>(
  model: { readonly collection: object; readonly db: MongoConnection },
  options: LeaseQueueOptions,
): LeaseQueue<D> {
  const { clock, leaseMs, due, leasedUntil = due, claim: claimPath, attempts, identity = [] } = options;
  const collection = collectionOf(model);
  const claims = new Set<Claim<D>>();
  const projection = Object.fromEntries((options.unread ?? []).map((field) => [field, 0]));
  const fencedBy = [claimPath, attempts, ...identity].filter((path) => path !== undefined);

  const claimable = (now: Date): Fields => ({ ...options.waiting, [due]: { $lte: now } });
  const claiming = (now: Date, until: Date, token: string) => ({
    $set: {
      ...options.onClaim?.(now),
      ...(claimPath === undefined ? {} : { [claimPath]: token }),
      [leasedUntil]: until,
    },
    ...(attempts === undefined ? {} : { $inc: { [attempts]: 1 } }),
  });
  const hold = (document: D, until: Date): Claim<D> => {
    const fence = Object.fromEntries(["_id", ...fencedBy].map((path) => [path, valueAt(document, path)]));
    const claim: Claim<D> = { document, fence: { ...options.held, ...fence }, leasedUntil: until };
    claims.add(claim);
    return claim;
  };
  const ended = (update: LeaseUpdate): LeaseUpdate => {
    const over = [claimPath, leasedUntil === due ? undefined : leasedUntil].filter((path) => path !== undefined);
    if (over.length === 0) return update;
    return { ...update, $unset: { ...update.$unset, ...Object.fromEntries(over.map((path) => [path, ""])) } };
  };
  /** Uses the command itself instead of bulkWrite, which measures every document before it writes it. */
  const write = async (statements: readonly Statement[]) => {
    const { db } = model.db;
    if (db === undefined) throw new Error("not connected");
    const command = { update: collection.collectionName, updates: statements, ordered: false, writeConcern: durable };
    const reply = await db.command(command);
    return { matched: Number(reply.n), failures: commandErrors(reply) };
  };
  /** Writes one statement for each group of items. @returns the failures by index of the item; a statement fails as a whole */
  const writeGroups = async (items: readonly Statement[], groups: readonly (readonly number[])[]) => {
    const { failures } = await write(
      groups.map((group) => oneStatement(group.map((index) => items[index] as Statement))),
    );
    const failed = [...failures].flatMap(([at, failure]) =>
      (groups[at] ?? []).map((index) => [index, failure] as const),
    );
    return new Map<number, unknown>(failed);
  };
  const writeTogether = createCoalescer<Statement>(
    async (items) => {
      const groups = Map.groupBy(items.keys(), (index) => sameWrite(items[index] as Statement));
      const failed = await writeGroups(items, [...groups.values()]);
      if (failed.size === 0) return {};
      // If the outcome of one item cannot be written, all items of its statement fail. Each of them is therefore
      // written again by a statement of its own. Items that were already written no longer match.
      const alone = [...failed.keys()].map((index) => [index]);
      return { failures: await writeGroups(items, alone) };
    },
    { itemsMax: writtenTogetherMax, callsMax: 1 },
  );
  const settle = async (claim: Claim<D>, update: LeaseUpdate): Promise<boolean> => {
    const { matchedCount } = await collection.updateOne(claim.fence, ended(update) as StoredUpdate);
    claims.delete(claim);
    return matchedCount === 1;
  };

  return {
    claimMany: async (ids) => {
      if (ids.length === 0 || claimPath === undefined) return [];
      const now = clock();
      const until = new Date(now.getTime() + leaseMs);
      const token = randomUUID();
      const { modifiedCount } = await collection.updateMany(
        { _id: { $in: ids }, ...claimable(now) },
        claiming(now, until, token),
      );
      if (modifiedCount === 0) return [];
      const taken = collection.find(
        { _id: { $in: ids }, [claimPath]: token },
        {
          projection,
          batchSize: ids.length + 1,
        },
      );
      return ((await taken.toArray()) as D[]).map((document) => hold(document, until));
    },
    claimNext: async (where = {}) => {
      const now = clock();
      const until = new Date(now.getTime() + leaseMs);
      const document = await collection.findOneAndUpdate(
        { ...claimable(now), ...where },
        claiming(now, until, randomUUID()),
        { sort: { [due]: 1 }, returnDocument: "after", projection },
      );
      return document === null ? null : hold(document as unknown as D, until);
    },
    isHeld: ({ leasedUntil: until }) => clock() < until,
    renewAll: async () => {
      const asked = [...claims];
      if (asked.length === 0) return;
      const until = new Date(clock().getTime() + leaseMs);
      const { matched } = await write(asked.map(({ fence }) => ({ q: fence, u: { $set: { [leasedUntil]: until } } })));
      const answeredAt = clock();
      // If a lease expired before the response arrived, another process may have claimed the item before the write.
      // Only a write that matched every item proves that none was lost.
      for (const claim of asked)
        if (matched === asked.length || answeredAt < claim.leasedUntil) claim.leasedUntil = until;
    },
    settle,
    settleTogether: async (claim, update) => {
      await writeTogether({ q: claim.fence, u: ended(update) });
      claims.delete(claim);
    },
    putOff: (claim, dueAt, update = {}) => settle(claim, { ...update, $set: { ...update.$set, [due]: dueAt } }),
    leave: (claim) => void claims.delete(claim),
  };
}

/**
 * Returns a key that is equal for items that can share a statement: they belong to one claim and are updated in the
 * same way.
 */
function sameWrite({ q: { _id, ...fence }, u }: Statement): string {
  return JSON.stringify([fence, u]);
}

function oneStatement(items: readonly Statement[]): Statement {
  const [first, second] = items;
  if (first === undefined) throw new Error("a statement is of at least one item");
  if (second === undefined) return first;
  return { q: { ...first.q, _id: { $in: items.map(({ q }) => q._id) } }, u: first.u, multi: true };
}

function valueAt(document: object, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], document);
}
