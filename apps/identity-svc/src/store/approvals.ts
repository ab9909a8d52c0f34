import { createHash } from "node:crypto";
import { collectionOf, isDuplicateKey, type Page, type PageRequest, readPage } from "@platform/kit/store/documents";
import { type ApprovalPerson, breakGlassSubject } from "@platform/operator-plane/operators";
import { type Connection, Schema } from "mongoose";
import type { Approval } from "../domain/approval.ts";

type ApprovalDocument = Omit<Approval, "id"> & {
  _id: string;
  /**
   * Hash of the act and of the person who requested it. It is unique, so that a person has at most one pending
   * request for an act. Missing once the act is decided.
   */
  pending_key?: string;
};

const text = { type: String, required: true } as const;
const textOrNull = { type: String, default: null } as const;

const schema = new Schema<ApprovalDocument>(
  {
    _id: text,
    rpc: text,
    act: text,
    request: String,
    request_json: text,
    project_client_id: textOrNull,
    asked_by: text,
    asked_by_name: text,
    asked_as_root: { type: Boolean, required: true },
    reason: String,
    asked_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    status: text,
    decided_by: textOrNull,
    decided_at: { type: Date, default: null },
    pending_key: String,
  },
  { strict: "throw", versionKey: false, collection: "approvals" },
);
/**
 * How long an approval is kept after it expired, so that a person who comes too late still learns what happened to
 * it.
 */
const keptSeconds = 7 * 86_400;
schema.index({ pending_key: 1 }, { unique: true, partialFilterExpression: { pending_key: { $exists: true } } });
schema.index({ status: 1, asked_at: -1, _id: -1 });
schema.index({ project_client_id: 1 });
schema.index({ expires_at: 1 }, { expireAfterSeconds: keptSeconds });

/** The act that an approval is used for. */
export type UsedFor = Pick<Approval, "rpc" | "request">;

/** Stores the acts that wait for a second person's approval. */
export type ApprovalStore = {
  /**
   * Stores an act that a person requests.
   * @returns that person's pending approval for the same act if there is one, otherwise the new one
   */
  insert(approval: Approval): Promise<Approval>;
  find(approvalId: string): Promise<Approval | null>;
  /** A page of the approvals that can still be decided, newest first. */
  listPending(now: Date, page: PageRequest): Promise<Page<Approval>>;
  /**
   * Approves an act and thereby consumes the approval. Returns null if it is not pending, belongs to another act, or
   * was requested by the approver.
   */
  use(approvalId: string, used: UsedFor, by: ApprovalPerson, now: Date): Promise<Approval | null>;
  /** Rejects an act. Returns null if it is not pending. */
  reject(approvalId: string, by: string, now: Date): Promise<Approval | null>;
};

export function createApprovalStore(connection: Connection): ApprovalStore {
  const model = connection.model<ApprovalDocument>("Approval", schema);
  const mapped = (document: ApprovalDocument | null): Approval | null =>
    document === null ? null : fromDocument(document);
  const decide = async (
    approvalId: string,
    also: object,
    decision: Pick<Approval, "status" | "decided_by" | "decided_at">,
    now: Date,
  ): Promise<Approval | null> => {
    const filter = { _id: approvalId, status: "pending", expires_at: { $gt: now }, ...also } as const;
    const change = { $set: decision, $unset: { pending_key: 1 } } as const;
    return mapped(await model.findOneAndUpdate(filter, change, { returnDocument: "after" }).lean<ApprovalDocument>());
  };
  return {
    insert: async (approval) => {
      const { id, ...rest } = approval;
      const pending_key = pendingKeyOf(approval);
      // A pending request that has expired must not block a new one.
      await model.updateOne({ pending_key, expires_at: { $lte: approval.asked_at } }, { $unset: { pending_key: 1 } });
      try {
        await collectionOf(model).insertOne({ _id: id, ...rest, pending_key });
        return approval;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const known = await model.findOne({ pending_key }).lean<ApprovalDocument>();
        if (known === null) throw error;
        return fromDocument(known);
      }
    },
    find: async (approvalId) => mapped(await model.findById(approvalId).lean<ApprovalDocument>()),
    listPending: async (now, page) => {
      const filter = { status: "pending", expires_at: { $gt: now } };
      const order = { by: "asked_at", direction: -1 } as const;
      const { items, nextCursor } = await readPage<ApprovalDocument>(model, filter, page, { order });
      return { items: items.map(fromDocument), nextCursor };
    },
    use: (approvalId, { rpc, request }, by, now) =>
      decide(
        approvalId,
        { rpc, request, ...notAskedBy(by) },
        { status: "approved", decided_by: by.subject, decided_at: now },
        now,
      ),
    reject: (approvalId, by, now) =>
      decide(approvalId, {}, { status: "rejected", decided_by: by, decided_at: now }, now),
  };
}

/**
 * Filter for acts that the approver did not request. All people with the role root know the break-glass token, so the
 * token counts as the same person as each of them.
 */
function notAskedBy({ subject, isRoot }: ApprovalPerson): object {
  if (subject === breakGlassSubject) return { asked_as_root: false };
  return { asked_by: { $nin: isRoot ? [subject, breakGlassSubject] : [subject] } };
}

const pendingKeyOf = ({ rpc, request, asked_by }: Approval): string =>
  createHash("sha256")
    .update(JSON.stringify([rpc, request, asked_by]))
    .digest("base64url");

function fromDocument({ _id, pending_key: _key, ...rest }: ApprovalDocument): Approval {
  return { id: _id, ...rest };
}
