import { createCoalescer } from "@platform/kit/process/coalescer";
import { defined } from "@platform/kit/process/fields";
import { hashToken, newId, newToken, tokenMatches } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import { collectionOf, mixed, oldestFirst, type Page, type PageRequest, readPage } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";

/** A machine with its own token, which is bound to one resource, such as a Project Client or a campaign. */
export type Machine = {
  readonly id: string;
  readonly bound_to: string;
  readonly name: string;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
};

/** Tokens of one kind of machine. They are stored as hashes, and a token is returned only when it is created. */
export type MachineTokens = {
  /** @throws ServiceError contract_violation if the resource has the most machines that are not revoked */
  issue(boundTo: string, name: string, now: Date): Promise<{ machine: Machine; token: string }>;
  /** Lists machines, oldest first. If `boundTo` is null, machines of all resources are listed. */
  list(boundTo: string | null, request: PageRequest): Promise<Page<Machine>>;
  /**
   * Issues a new token and ends the existing ones at `overlapEndsAt`. Returns null if the machine does not exist or is
   * revoked.
   */
  rotate(id: string, overlapEndsAt: Date, now: Date): Promise<{ machine: Machine; token: string } | null>;
  /**
   * Ends every token of a machine. If it was revoked before, the time of the first revocation is kept. Returns null if
   * the machine does not exist.
   */
  revoke(id: string, now: Date): Promise<Machine | null>;
  /** Returns whether the text has the form of a token of this kind, as opposed to an operator's token. */
  isToken(text: string): boolean;
  /** Returns the machine of a token; null if the token is unknown, revoked or expired. */
  verify(token: string, now: Date): Promise<Machine | null>;
};

type MachineDocument = Omit<Machine, "id"> & {
  _id: string;
  /** SHA-256 of each secret that is still accepted, and the time at which it ends; null for the newest. */
  secrets: { hash: string; ends_at: Date | null }[];
  /** Number of rotations. A rotation is stored only if this number has not changed since it was read. */
  generation: number;
};

/** How long the previous token remains valid after a rotation by default, in seconds. */
export const machineOverlapSeconds = 24 * 60 * 60;

export type MachineKind = {
  readonly model: string;
  readonly collection: string;
  /** Prefix of the tokens, in lower-case letters. */
  readonly prefix: string;
  /** Maximum number of machines of one resource that are not revoked, and the message for one more. */
  readonly limit?: { readonly live: number; readonly message: string };
};

/** Creates the store of one kind of machine. */
export function createMachineTokens(connection: Connection, kind: MachineKind): MachineTokens {
  const schema = new Schema<MachineDocument>(
    {
      _id: { type: String, required: true },
      bound_to: { type: String, required: true },
      name: { type: String, default: "" },
      secrets: { type: [mixed], required: true },
      generation: { type: Number, required: true },
      created_at: { type: Date, required: true },
      revoked_at: { type: Date, default: null },
    },
    { strict: "throw", versionKey: false, collection: kind.collection },
  );
  schema.index({ bound_to: 1, created_at: 1, _id: 1 });
  schema.index({ created_at: 1, _id: 1 });
  const model = connection.model<MachineDocument>(kind.model, schema);
  const form = new RegExp(`^${kind.prefix}_([0-9a-f]{32})_([0-9a-f]{64})$`);
  /**
   * Reads machines. The concurrent calls of one machine share a read, so that a machine that opens many streams costs
   * little. Each call gets a read that started after it, so a revoked token is never accepted again.
   */
  const readMachine = createCoalescer<string, MachineDocument | null>(
    async (ids, id) => {
      const machine = await model.findOne({ _id: id }).lean<MachineDocument | null>();
      return { results: ids.map(() => machine) };
    },
    { itemsMax: Number.POSITIVE_INFINITY, callsMax: 1, keyOf: (id) => id },
  );
  const tokenOf = (id: string, secret: string): string => `${kind.prefix}_${id.replaceAll("-", "")}_${secret}`;

  /** Removes a new machine that is one too many. Counting after the insert also holds the limit for concurrent calls. */
  const requireWithinLimit = async ({ _id, bound_to }: MachineDocument): Promise<void> => {
    if (kind.limit === undefined) return;
    if ((await model.countDocuments({ bound_to, revoked_at: null })) <= kind.limit.live) return;
    await collectionOf(model).deleteOne({ _id });
    throw new ServiceError("contract_violation", kind.limit.message);
  };

  return {
    issue: async (boundTo, name, now) => {
      const secret = newToken();
      const document: MachineDocument = {
        _id: newId(),
        bound_to: boundTo,
        name,
        secrets: [{ hash: hashToken(secret), ends_at: null }],
        generation: 0,
        created_at: now,
        revoked_at: null,
      };
      await collectionOf(model).insertOne(document);
      await requireWithinLimit(document);
      return { machine: toMachine(document), token: tokenOf(document._id, secret) };
    },
    list: async (boundTo, request) => {
      const filter = defined({ bound_to: boundTo });
      const page = await readPage<MachineDocument>(model, filter, request, { order: oldestFirst });
      return { items: page.items.map(toMachine), nextCursor: page.nextCursor };
    },
    rotate: async (id, overlapEndsAt, now) => {
      for (;;) {
        const machine = await model.findOne({ _id: id, revoked_at: null }).lean<MachineDocument | null>();
        if (machine === null) return null;
        const secret = newToken();
        const kept = machine.secrets
          .map(({ hash, ends_at }) => ({ hash, ends_at: earlier(ends_at, overlapEndsAt) }))
          .filter(({ ends_at }) => ends_at > now);
        const { matchedCount } = await collectionOf(model).updateOne(
          { _id: id, generation: machine.generation, revoked_at: null },
          {
            $set: {
              secrets: [...kept, { hash: hashToken(secret), ends_at: null }],
              generation: machine.generation + 1,
            },
          },
        );
        if (matchedCount === 1) return { machine: toMachine(machine), token: tokenOf(id, secret) };
      }
    },
    revoke: async (id, now) => {
      const after = { returnDocument: "after" } as const;
      const document =
        (await model
          .findOneAndUpdate({ _id: id, revoked_at: null }, { $set: { revoked_at: now, secrets: [] } }, after)
          .lean<MachineDocument | null>()) ?? (await model.findOne({ _id: id }).lean<MachineDocument | null>());
      return document === null ? null : toMachine(document);
    },
    isToken: (text) => form.test(text),
    verify: async (token, now) => {
      const [, hex = "", secret = ""] = form.exec(token) ?? [];
      if (hex === "") return null;
      const machine = await readMachine(uuidOf(hex));
      if (machine === null || machine.revoked_at !== null) return null;
      const isKnown = machine.secrets.some(
        ({ hash, ends_at }) => tokenMatches(secret, hash) && (ends_at === null || ends_at > now),
      );
      return isKnown ? toMachine(machine) : null;
    },
  };
}

const earlier = (time: Date | null, other: Date): Date => (time === null || time > other ? other : time);

const uuidOf = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

function toMachine({ _id, bound_to, name, created_at, revoked_at }: MachineDocument): Machine {
  return { id: _id, bound_to, name, created_at, revoked_at };
}
