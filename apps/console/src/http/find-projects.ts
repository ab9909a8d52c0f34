import { ProjectClientSearchAdminService } from "@platform/proto/identity/v1/project_client_search_admin";
import type { NamedClient } from "../calls/clients.ts";
import type { Visit } from "./visit.ts";

const search = ProjectClientSearchAdminService.method.findProjectClients;
/** Maximum length of the text of a search, in characters. */
const textLengthMax = 255;
/** Maximum number of projects that a search returns. */
const foundMax = 200;

/**
 * Finds the projects with this id or with a name that contains this text in any case, ordered by name, at most 200. A
 * person without a role on the platform finds only the projects of which they are a member.
 */
export async function findProjects(visit: Visit, text: string): Promise<readonly NamedClient[]> {
  const wanted = text.trim().toLowerCase();
  if (!visit.may(search)) {
    const own = await visit.projectClients();
    return own.filter(({ id, name }) => id === wanted || name.toLowerCase().includes(wanted));
  }
  const request = { text: wanted.slice(0, textLengthMax), sort: "name", limit: foundMax, withoutTotal: true };
  const { found } = await visit.ask(search, request);
  return found.flatMap(({ projectClient }) => projectClient ?? []);
}
