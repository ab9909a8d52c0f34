import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { newId } from "@platform/kit/process/secrets";
import { isMemberRoleName, type MemberRoleName, memberRoleNames, optionalTimestamp } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import {
  type Implementation,
  implementForOperators,
  type ServedService,
  type ServerCall,
} from "@platform/kit/rpc/server";
import { emailHint, isEmailAddress, normalizeEmail } from "@platform/kit/web/mail";
import { invalidRequest } from "@platform/operator-plane/operators";
import { MemberAdminService } from "@platform/proto/identity/v1/member_admin";
import type { ProjectMember } from "../../domain/project-member.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { projectClientNotFound } from "./refuse.ts";

type Rpcs = Implementation<typeof MemberAdminService>;

const emailLengthMax = 320;

/** Invites people to a project, gives them roles and removes them. */
export function memberServices(context: IdentityContext): ServedService[] {
  const { members, clients, clock } = context;
  /**
   * Ends a member's role of owner. A member may do this only if the project keeps another owner. A person who may
   * manage the members of every project may also remove the last owner.
   */
  const endOwnership = async (memberId: string, role: MemberRoleName, { operator }: ServerCall): Promise<void> => {
    const isForAllProjects = operator?.roles.some((each) => each === "security" || each === "root") === true;
    if (!isForAllProjects && !(await members.endOwnership(memberId, role))) throw lastOwner();
  };
  const implementation: Rpcs = {
    listMembers: async ({ projectClientId, limit, cursor }) => {
      if ((await clients.find(projectClientId)) === null) throw projectClientNotFound();
      const { items, nextCursor } = await members.list(projectClientId, { limit, cursor });
      return { members: items.map(memberMessage), nextCursor };
    },
    getMember: async ({ memberId }) => {
      const member = await members.find(memberId);
      if (member === null || member.removed_at !== null) throw memberNotFound();
      return { member: memberMessage(member) };
    },
    addMember: async ({ projectClientId, email: given, role }, call) => {
      const email = normalizeEmail(given);
      if (email.length > emailLengthMax || !isEmailAddress(email))
        throw invalidRequest("/email", "must be an email address");
      const wanted = requireRoleName(role);
      if ((await clients.find(projectClientId)) === null) throw projectClientNotFound();
      const added =
        (await members.findByEmail(projectClientId, email)) ??
        (await inviteAddress(context, { projectClientId, email, role: wanted, by: call.operator?.subject ?? "" }));
      if (added.role !== wanted) {
        throw new ServiceError(
          "project_member_exists",
          `This address is a member as ${added.role} already; give the member another role instead.`,
          { details: { member_id: added.id } },
        );
      }
      return { member: memberMessage(added) };
    },
    setMemberRole: async ({ memberId, role }, call) => {
      const wanted = requireRoleName(role);
      if (wanted !== "owner") await endOwnership(memberId, wanted, call);
      const member = await members.setRole(memberId, wanted);
      if (member === null) throw memberNotFound();
      return { member: memberMessage(member) };
    },
    removeMember: async ({ memberId }, call) => {
      await endOwnership(memberId, "reader", call);
      const member = await members.remove(memberId, clock());
      if (member === null) throw memberNotFound();
      return { member: memberMessage(member) };
    },
  };
  return [implementForOperators(MemberAdminService, implementation)];
}

function requireRoleName(role: string): MemberRoleName {
  if (!isMemberRoleName(role)) throw invalidRequest("/role", `must be one of ${memberRoleNames.join(", ")}`);
  return role;
}

/** Adds the member and queues the email with the invitation. The invitation is valid even if no email may be sent. */
async function inviteAddress(
  { members, clients, clock }: IdentityContext,
  invited: {
    readonly projectClientId: string;
    readonly email: string;
    readonly role: MemberRoleName;
    readonly by: string;
  },
): Promise<ProjectMember> {
  const now = clock();
  const isEmailed = await clients.countInvitationMail(invited.projectClientId, now);
  const member = {
    id: newId(),
    project_client_id: invited.projectClientId,
    email: invited.email,
    subject: null,
    role: invited.role,
    invited_by: invited.by,
    invited_at: now,
    accepted_at: null,
    last_sign_in_at: null,
    removed_at: null,
  };
  return members.insert(member, isEmailed);
}

const lastOwner = (): ServiceError =>
  new ServiceError(
    "last_project_owner",
    "The project would have no owner who has signed in; make somebody else its owner first, or ask an operator with the role security.",
  );

const memberNotFound = (): ServiceError => new ServiceError("project_member_not_found", "There is no such member.");

const emailStates = { queued: "queued", sent: "sent", failed: "not_sent", none: "" } as const;

function memberMessage(member: ProjectMember) {
  return {
    id: member.id,
    projectClientId: member.project_client_id,
    emailHint: member.email === undefined ? "" : emailHint(member.email),
    role: member.role,
    status: member.accepted_at === null ? "invited" : "active",
    invitedAt: timestampFromDate(member.invited_at),
    invitedBy: member.invited_by,
    invitationEmail: emailStates[member.invitation_mail ?? "none"],
    ...optionalTimestamp("lastSignInAt", member.last_sign_in_at),
    ...optionalTimestamp("acceptedAt", member.accepted_at),
  };
}
