import type { MemberRoleName } from "@platform/kit/rpc/client";
import { collectionOf, isDuplicateKey, type Page, type PageRequest, readPage } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import type { ProjectMember } from "../domain/project-member.ts";
import { createMailQueue, type MailQueue } from "./mail-queue.ts";
import type { VerificationMailWork } from "./transaction-schema.ts";

export type ProjectMemberDocument = Omit<ProjectMember, "id" | "invitation_mail"> & {
  _id: string;
  /** The email with the invitation. Absent once the invitation was accepted or withdrawn. */
  mail?: VerificationMailWork;
};

const text = { type: String, required: true } as const;

const schema = new Schema<ProjectMemberDocument>(
  {
    _id: text,
    project_client_id: text,
    email: String,
    subject: { type: String, default: null },
    role: text,
    invited_by: text,
    invited_at: { type: Date, required: true },
    accepted_at: { type: Date, default: null },
    last_sign_in_at: { type: Date, default: null },
    removed_at: { type: Date, default: null },
    mail: new Schema<VerificationMailWork>(
      { state: text, attempts: { type: Number, required: true }, due_at: { type: Date } },
      { _id: false, strict: "throw" },
    ),
  },
  { strict: "throw", versionKey: false, collection: "project_members" },
);
// The address of a removed member is deleted, so that it may be invited again.
schema.index(
  { project_client_id: 1, email: 1 },
  { unique: true, partialFilterExpression: { email: { $exists: true } } },
);
schema.index({ project_client_id: 1, invited_at: 1, _id: 1 });
schema.index({ subject: 1 });
schema.index({ "mail.due_at": 1 }, { sparse: true });
schema.index({ email: 1 }, { sparse: true });

/** The members of projects. */
export type ProjectMemberStore = {
  /**
   * Invites an address.
   * @param isEmailed true if the email with the invitation is to be sent
   * @returns the member who already has the address, if there is one
   */
  insert(member: Omit<ProjectMember, "invitation_mail">, isEmailed: boolean): Promise<ProjectMember>;
  /** The member of a project who has an address, as `normalizeEmail` writes it. */
  findByEmail(clientId: string, email: string): Promise<ProjectMember | null>;
  find(memberId: string): Promise<ProjectMember | null>;
  /** A page of a client's members, oldest first, without removed ones. */
  list(clientId: string, page: PageRequest): Promise<Page<ProjectMember>>;
  /** The people of a project who have signed in, each with their role. */
  listSignedIn(clientId: string): Promise<{ readonly subject: string; readonly role: MemberRoleName }[]>;
  /** The projects that a person who has signed in is a member of. */
  listOf(subject: string): Promise<Pick<ProjectMember, "project_client_id" | "role">[]>;
  /**
   * Records a sign-in: accepts the invitations of the address, and stores the time in all memberships of the person. An
   * invitation that another subject has accepted stays theirs, because an address may later belong to someone else.
   * @param email the address that the provider reports as verified, or null
   */
  noteSignIn(subject: string, email: string | null, at: Date): Promise<void>;
  /**
   * Removes the role of owner from a member, unless the project would then have no owner who has signed in.
   * @param role the new role of the member
   * @returns false if the member stays an owner
   */
  endOwnership(memberId: string, role: MemberRoleName): Promise<boolean>;
  /** The emails with invitations that are to be sent, for a worker. */
  openInvitations(clock: () => Date): MailQueue<ProjectMemberDocument>;
  /** Null if there is no such member or they were removed. */
  setRole(memberId: string, role: MemberRoleName): Promise<ProjectMember | null>;
  /** Removes a member, with their address and subject; the time of the first call is kept. Null if there is none. */
  remove(memberId: string, at: Date): Promise<ProjectMember | null>;
};

export function createProjectMemberStore(connection: Connection): ProjectMemberStore {
  const model = connection.model<ProjectMemberDocument>("ProjectMember", schema);
  const mapped = (document: ProjectMemberDocument | null): ProjectMember | null =>
    document === null ? null : fromDocument(document);
  const find = async (memberId: string): Promise<ProjectMember | null> =>
    mapped(await model.findById(memberId).lean<ProjectMemberDocument>());
  const findByEmail = async (clientId: string, email: string): Promise<ProjectMember | null> =>
    mapped(await model.findOne({ project_client_id: clientId, email }).lean<ProjectMemberDocument>());
  const changed = (memberId: string, change: object): Promise<ProjectMemberDocument | null> =>
    model
      .findOneAndUpdate({ _id: memberId, removed_at: null }, change, { returnDocument: "after" })
      .lean<ProjectMemberDocument>();
  return {
    insert: async ({ id, ...rest }, isEmailed) => {
      const mail = isEmailed
        ? ({ state: "queued", attempts: 0, due_at: rest.invited_at } as const)
        : ({ state: "failed", attempts: 0, due_at: null } as const);
      const document = { _id: id, ...rest, mail };
      try {
        await collectionOf(model).insertOne(document);
        return fromDocument(document);
      } catch (error) {
        if (!isDuplicateKey(error) || rest.email === undefined) throw error;
        const known = await findByEmail(rest.project_client_id, rest.email);
        if (known === null) throw error;
        return known;
      }
    },
    findByEmail,
    find,
    list: async (clientId, page) => {
      const filter = { project_client_id: clientId, removed_at: null };
      const { items, nextCursor } = await readPage<ProjectMemberDocument>(model, filter, page, {
        order: { by: "invited_at", direction: 1 },
      });
      return { items: items.map(fromDocument), nextCursor };
    },
    listSignedIn: async (clientId) => {
      const found = await model
        .find({ project_client_id: clientId, removed_at: null, subject: { $gt: "" } }, { subject: 1, role: 1 })
        .lean<ProjectMemberDocument[]>();
      return found.map(({ subject, role }) => ({ subject: subject ?? "", role }));
    },
    listOf: async (subject) => {
      const found = await model
        .find({ subject, removed_at: null }, { project_client_id: 1, role: 1 })
        .lean<ProjectMemberDocument[]>();
      return found.map(({ project_client_id, role }) => ({ project_client_id, role }));
    },
    noteSignIn: async (subject, email, at) => {
      if (email !== null) {
        const accepted = { subject, accepted_at: at };
        await model.updateMany({ email, subject: null, removed_at: null }, { $set: accepted, $unset: { mail: "" } });
      }
      await model.updateMany({ subject, removed_at: null }, { $set: { last_sign_in_at: at } });
    },
    endOwnership: async (memberId, role) => {
      const owner = { role: "owner", removed_at: null, subject: { $gt: "" } } as const;
      const before = await model
        .findOneAndUpdate({ _id: memberId, ...owner }, { $set: { role } }, { returnDocument: "before" })
        .lean<ProjectMemberDocument>();
      if (before === null) return true;
      // The write comes before the count: of two owners who remove each other, the later one to write sees that no
      // owner is left, and undoes it.
      if ((await model.countDocuments({ project_client_id: before.project_client_id, ...owner })) > 0) return true;
      await changed(memberId, { $set: { role: before.role } });
      return false;
    },
    openInvitations: (clock) => createMailQueue(model, { clock, path: "mail" }),
    setRole: async (memberId, role) => mapped(await changed(memberId, { $set: { role } })),
    remove: async (memberId, at) => {
      const removed = await changed(memberId, {
        $set: { removed_at: at, subject: null },
        $unset: { email: "", mail: "" },
      });
      return removed === null ? find(memberId) : fromDocument(removed);
    },
  };
}

function fromDocument({ _id, mail, ...rest }: ProjectMemberDocument): ProjectMember {
  return { id: _id, ...rest, invitation_mail: mail?.state ?? null };
}
