import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { invalidRequest } from "@platform/operator-plane/operators";
import { SessionAdminService } from "@platform/proto/identity/v1/session_admin";
import type { IdentityContext } from "../../identity-context.ts";
import type { OperatorSession } from "../../store/operator-sessions.ts";

type Rpcs = Implementation<typeof SessionAdminService>;

/** RPCs that list and end the sessions of operators and of a project's members. */
export function sessionServices(context: IdentityContext): ServedService[] {
  const { operatorSessions, members, clock } = context;
  const implementation: Rpcs = {
    listOperatorSessions: async ({ limit, cursor }) => {
      const { items, nextCursor } = await operatorSessions.listOfOperators(clock(), { limit, cursor });
      return { sessions: items.map((session) => sessionMessage(session, session.roles, "")), nextCursor };
    },
    listMemberSessions: async ({ projectClientId, limit, cursor }) => {
      const people = new Map(
        (await members.listSignedIn(projectClientId)).map(({ subject, role }) => [subject, role] as const),
      );
      const { items, nextCursor } = await operatorSessions.listOfMembers([...people.keys()], clock(), {
        limit,
        cursor,
      });
      return {
        sessions: items.map((session) => sessionMessage(session, [people.get(session.subject) ?? ""], projectClientId)),
        nextCursor,
      };
    },
    endSessions: async ({ sessionId, subject }) => {
      requireOne(sessionId, subject);
      if (subject !== "") return { ended: await operatorSessions.endOf(subject, clock()) };
      if ((await operatorSessions.findWithHash(sessionId)) === null) throw sessionNotFound();
      return { ended: await operatorSessions.end(sessionId, clock()) };
    },
    endMemberSessions: async ({ projectClientId, sessionId, subject }) => {
      requireOne(sessionId, subject);
      const found = sessionId === "" ? null : ((await operatorSessions.findWithHash(sessionId))?.session ?? null);
      const whose = found?.subject ?? subject;
      const isMember = (await members.listSignedIn(projectClientId)).some((member) => member.subject === whose);
      // Only the role security can sign out a person with a role on the platform, whichever projects have invited them.
      if (!isMember || (sessionId !== "" && (found === null || found.roles.length > 0))) throw sessionNotFound();
      const ended =
        found === null
          ? await operatorSessions.endOfMember(subject, clock())
          : await operatorSessions.end(found.id, clock());
      return { ended };
    },
  };
  return [implementForOperators(SessionAdminService, implementation)];
}

function requireOne(sessionId: string, subject: string): void {
  if ((sessionId === "") === (subject === "")) throw invalidRequest("/session_id", "or subject is required, not both");
}

const sessionNotFound = (): ServiceError => new ServiceError("operator_session_not_found", "There is no such session.");

function sessionMessage(session: OperatorSession, roles: readonly string[], projectClientId: string) {
  const { id, subject, created_at: createdAt, signed_in_at: signedInAt, last_seen_at: lastSeenAt, network } = session;
  return {
    id,
    subject,
    roles: [...roles],
    signedInAt: timestampFromDate(signedInAt ?? createdAt),
    lastSeenAt: timestampFromDate(lastSeenAt ?? createdAt),
    network: network ?? "",
    projectClientId,
  };
}
