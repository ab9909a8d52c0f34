import { rowOf } from "@platform/contracts/operator/row-values";
import { operatorSessions } from "@platform/contracts/operator/signed-in-sessions";
import { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import {
  SessionAdminService,
  type SignedInSession,
  SignedInSessionSchema,
} from "@platform/proto/identity/v1/session_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { printPage, readPage } from "../../pages.ts";
import { UsageError } from "../../usage-error.ts";

type EndOptions = { readonly sessionId?: string; readonly subject?: string; readonly client?: string };

/** Prints a page of the sessions of operators, or of a project's members. */
export async function listSignedIn(
  ctl: Ctl,
  {
    client,
    limit = "50",
    cursor = "",
  }: { readonly client?: string; readonly limit?: string; readonly cursor?: string },
): Promise<void> {
  const admin = ctl.connection("identity").service(SessionAdminService);
  const page = readPage({ limit, cursor });
  const { sessions, nextCursor } =
    client === undefined
      ? await admin.listOperatorSessions(page, ctl.call())
      : await admin.listMemberSessions({ projectClientId: client, ...page }, ctl.call(client));
  printPage(ctl, sessions.map(sessionForm), nextCursor);
}

/** Adds `sessions end`. */
export function registerEndCommand(sessions: Command, ctl: Ctl): void {
  sessions
    .command("end")
    .description(
      "End a session of the console or of platformctl, or all sessions of a person. Every service rejects it within ten seconds.",
    )
    .option("--session-id <id>", "session id, as listed")
    .option("--subject <subject>", "subject of the person, as listed")
    .option("--client <id>", "Project Client id, if you are an owner of several projects")
    .addHelpText("after", "\nExample:\n  platformctl sessions end --subject ann")
    .action(async ({ sessionId = "", subject = "", client }: EndOptions) => {
      if ((sessionId === "") === (subject === "")) throw new UsageError("give either --session-id or --subject");
      const admin = ctl.connection("identity").service(SessionAdminService);
      const projectClientId = client ?? (await onlyProject(ctl));
      const { ended } =
        projectClientId === null
          ? await admin.endSessions({ sessionId, subject }, ctl.call())
          : await admin.endMemberSessions({ projectClientId, sessionId, subject }, ctl.call(projectClientId));
      ctl.print({ ended });
    });
}

/**
 * Returns the project of a person who has no role on the platform and belongs to exactly one project, and null for everyone else.
 */
async function onlyProject(ctl: Ctl): Promise<string | null> {
  const stored = ctl.session.read();
  if (stored === null) return null;
  const access = ctl.signInConnection().service(OperatorAccessService);
  const { session } = await access.getOperatorSession({ sessionToken: stored.session_token }, ctl.call());
  const [first, ...others] = session?.memberships ?? [];
  return session?.roles.length === 0 && first !== undefined && others.length === 0 ? first.projectClientId : null;
}

/** Formats a session as `--json` prints it: the columns of the operator table, which the console shows as well. */
const sessionForm = (session: SignedInSession): object =>
  rowOf(SignedInSessionSchema, operatorSessions.columns, session);
