import type { Resource } from "@platform/contracts/operator/resource";
import { memberSessions, operatorSessions } from "@platform/contracts/operator/signed-in-sessions";
import { html } from "@platform/kit/web/http";
import { SessionAdminService, type SignedInSession } from "@platform/proto/identity/v1/session_admin";
import { facts } from "../pages/elements.ts";
import { readerOf } from "../resource-read.ts";
import { factsOf } from "../resource-row.ts";
import { screenOf } from "../resource-screen.ts";
import type { Action, Screen } from "../screen.ts";

const admin = SessionAdminService.method;

/**
 * Creates the action that ends every session of a person. Its path contains one of the person's sessions, so that no
 * address of a page identifies a person.
 */
function endAllOf(table: Resource, method: typeof admin.endSessions | typeof admin.endMemberSessions): Action {
  const read = readerOf(table);
  const { list, one } = table.paths;
  const listOf = ({ projectClientId: id }: Pick<SignedInSession, "projectClientId">): string =>
    id === "" ? list : `${list}?client=${encodeURIComponent(id)}`;
  return {
    path: `${one}/:id/end-all`,
    title: "End all of the person's sessions",
    button: "End all of the person's sessions",
    isDanger: true,
    method,
    describe: async (visit) => {
      const { row } = await read(visit);
      return {
        crumbs: [[table.title, listOf(row as unknown as SignedInSession)]],
        what: html`<p>Ends all listed sessions of this person. Every service rejects them within ten seconds.</p>${facts(factsOf(table, ["subject", "roles"], row))}`,
      };
    },
    run: async (visit, options) => {
      const { subject, projectClientId } = (await read(visit)).row as unknown as SignedInSession;
      const { ended } =
        method === admin.endSessions
          ? await visit.ask(method, { subject }, options)
          : await visit.ask(admin.endMemberSessions, { projectClientId, subject }, options);
      return { redirect: listOf({ projectClientId }), notice: `Sessions ended: ${ended}.` };
    },
  };
}

function sessionScreen(table: Resource, endAll: Action): Screen {
  const screen = screenOf(table, { acts: () => [endAll] });
  return { ...screen, actions: [endAll, ...(screen.actions ?? [])] };
}

/** The signed-in people who have a role on the platform. */
export const sessionsOfOperators = sessionScreen(operatorSessions, endAllOf(operatorSessions, admin.endSessions));

/** The signed-in people who are members of projects. */
export const sessionsOfMembers = sessionScreen(memberSessions, endAllOf(memberSessions, admin.endMemberSessions));
