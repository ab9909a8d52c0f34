import { collectionOf, insertOrFind } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import { v7 } from "uuid";

/** A call of an operator RPC that changes something or reveals personal data. */
export type OperatorAction = {
  /** A UUIDv7 of the action's time, so that ids sort by time. */
  readonly id: string;
  readonly at: Date;
  readonly who: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly rpc: string;
  readonly client_id: string | null;
  readonly resource: string | null;
  readonly reason: string | null;
  readonly correlation_id: string;
  readonly outcome: "started" | "succeeded" | "failed";
  /** Error code of a failed action; `outcome_unknown` if the process ended before the outcome was recorded. */
  readonly error: string | null;
  /** The request as JSON, without fields that are marked `debug_redact`. */
  readonly request_json: string;
  /** The agent that called on behalf of the operator, such as `mcp`; null if the operator called directly. */
  readonly via: string | null;
  /**
   * Subject of the person who requested an action that needed approval, which `who` approved. Null for any other
   * action.
   */
  readonly asked_by: string | null;
};

type ActionDocument = Omit<OperatorAction, "id"> & {
  _id: string;
  /** The last part of the RPC's name. */
  method: string;
  /** Set while the action is in progress: the time by which its process must have settled it. */
  settle_by?: Date;
  /** Time at which the action was settled; removed once the action is in the chain. */
  unchained_since?: Date;
  /** Set if the chain refused the action: the time at which the relay tries again. */
  put_off_until?: Date;
};

const text = { type: String, required: true } as const;
const textOrNull = { type: String, default: null } as const;

const schema = new Schema<ActionDocument>(
  {
    _id: text,
    at: { type: Date, required: true },
    who: text,
    name: text,
    roles: { type: [String], required: true },
    rpc: text,
    method: text,
    client_id: textOrNull,
    resource: textOrNull,
    reason: textOrNull,
    correlation_id: { type: String, default: "" },
    outcome: text,
    error: textOrNull,
    request_json: text,
    via: textOrNull,
    asked_by: textOrNull,
    settle_by: Date,
    unchained_since: Date,
    put_off_until: Date,
  },
  { collection: "operator_actions", strict: "throw", versionKey: false },
);
schema.index({ who: 1, _id: -1 });
schema.index({ method: 1, _id: -1 });
schema.index({ client_id: 1, _id: -1 });
schema.index({ correlation_id: 1, _id: -1 });
schema.index({ settle_by: 1 }, { sparse: true });
schema.index({ unchained_since: 1 }, { sparse: true });

/** Filter for a list of actions. */
export type ActionFilter = {
  readonly limit: number;
  /** Id of the last action of the previous page; empty for the first page. */
  readonly cursor: string;
  readonly who: string;
  /** Full name of an RPC, or the last part of its name. */
  readonly rpc: string;
  readonly clientId: string;
  readonly correlationId: string;
  readonly since: Date | null;
};

/** The record of operator actions in a service's own database. */
export type OperatorActionStore = {
  /** Records an action that is about to start. @returns the action with its id */
  begin(action: Omit<OperatorAction, "id" | "outcome" | "error">, settleBy: Date): Promise<OperatorAction>;
  /** Records the outcome, unless one is already recorded. */
  settle(
    id: string,
    end: Pick<OperatorAction, "outcome" | "error" | "client_id" | "resource">,
    now: Date,
  ): Promise<void>;
  /**
   * Settles the actions that their process should have settled by now, because it has ended.
   * @returns the number of settled actions
   */
  settleAbandoned(now: Date): Promise<number>;
  /** Returns settled actions that are not in the chain yet, oldest first, without those that are postponed. */
  findUnchained(now: Date, limit: number): Promise<OperatorAction[]>;
  /** Postpones an action that the chain refused. */
  putOff(id: string, until: Date): Promise<void>;
  markChained(ids: readonly string[]): Promise<void>;
  /** Returns since when the oldest settled action is missing in the chain; null if none is missing. */
  oldestUnchainedSince(): Promise<Date | null>;
  /** Lists actions, newest first. */
  list(filter: ActionFilter): Promise<{ actions: OperatorAction[]; nextCursor: string }>;
};

const methodOf = (rpc: string): string => rpc.slice(rpc.lastIndexOf("/") + 1);

/** Returns the smallest UUIDv7 of a millisecond. */
const firstIdOf = (at: Date): string => v7({ msecs: at.getTime(), seq: 0, random: new Uint8Array(16) });

export function createOperatorActionStore(connection: Connection): OperatorActionStore {
  const model = connection.model<ActionDocument>("OperatorAction", schema);
  return {
    begin: async (action, settleBy) => {
      const started = { ...action, outcome: "started", error: null } as const;
      const id = v7({ msecs: action.at.getTime() });
      const document = { _id: id, ...started, method: methodOf(action.rpc), settle_by: settleBy };
      await insertOrFind(
        document,
        () => collectionOf(model).insertOne(document),
        () => model.findById(id, { _id: 1 }).lean<{ _id: string }>(),
      );
      return { id, ...started };
    },
    settle: async (id, end, now) => {
      await model.updateOne(
        { _id: id, outcome: "started" },
        { $set: { ...end, unchained_since: now }, $unset: { settle_by: 1 } },
      );
    },
    settleAbandoned: async (now) => {
      const { modifiedCount } = await model.updateMany(
        { settle_by: { $lt: now }, outcome: "started" },
        { $set: { outcome: "failed", error: "outcome_unknown", unchained_since: now }, $unset: { settle_by: 1 } },
      );
      return modifiedCount;
    },
    findUnchained: async (now, limit) => {
      const found = await model
        .find({ unchained_since: { $gt: new Date(0) }, put_off_until: { $not: { $gt: now } } })
        .sort({ unchained_since: 1 })
        .limit(limit)
        .lean<ActionDocument[]>();
      return found.map(fromDocument);
    },
    markChained: async (ids) => {
      if (ids.length === 0) return;
      await model.updateMany({ _id: { $in: ids } }, { $unset: { unchained_since: 1, put_off_until: 1 } });
    },
    putOff: async (id, until) => {
      await model.updateOne({ _id: id }, { $set: { put_off_until: until } });
    },
    oldestUnchainedSince: async () => {
      const oldest = await model
        .findOne({ unchained_since: { $gt: new Date(0) } }, { unchained_since: 1 })
        .sort({ unchained_since: 1 })
        .lean<Pick<ActionDocument, "unchained_since">>();
      return oldest?.unchained_since ?? null;
    },
    list: async ({ limit, cursor, who, rpc, clientId, correlationId, since }) => {
      const ids = {
        ...(cursor === "" ? {} : { $lt: cursor }),
        ...(since === null ? {} : { $gte: firstIdOf(since) }),
      };
      const filter = {
        ...(Object.keys(ids).length === 0 ? {} : { _id: ids }),
        ...(who === "" ? {} : { who }),
        ...(rpc === "" ? {} : { method: methodOf(rpc), ...(rpc.includes("/") ? { rpc } : {}) }),
        ...(clientId === "" ? {} : { client_id: clientId }),
        ...(correlationId === "" ? {} : { correlation_id: correlationId }),
      };
      const found = await model
        .find(filter)
        .sort({ _id: -1 })
        .limit(limit + 1)
        .lean<ActionDocument[]>();
      const actions = found.slice(0, limit).map(fromDocument);
      return { actions, nextCursor: found.length > limit ? (actions.at(-1)?.id ?? "") : "" };
    },
  };
}

function fromDocument({
  _id,
  method: _method,
  settle_by: _by,
  unchained_since: _since,
  put_off_until: _until,
  via,
  asked_by,
  ...action
}: ActionDocument): OperatorAction {
  // Records that were written before `via` and `asked_by` were added do not have these fields.
  return { id: _id, ...action, via: via ?? null, asked_by: asked_by ?? null };
}
