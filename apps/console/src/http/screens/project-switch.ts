import { html } from "@platform/kit/web/http";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { findProjects } from "../find-projects.ts";
import { copyable, idLink, table } from "../pages/elements.ts";
import { navigationPageOf } from "../pages/navigation.ts";
import type { Answer, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";

const shownMax = 50;

/**
 * Opens the project whose id or name was typed, at the page that was open before. If several projects match, they are
 * listed.
 */
async function switchProject(visit: Visit): Promise<Answer> {
  const typed = visit.query("project");
  const wanted = typed.toLowerCase();
  const matching = await findProjects(visit, typed);
  const exact = matching.filter(({ id, name }) => id === wanted || name.toLowerCase() === wanted);
  const found = exact.length > 0 ? exact : matching;
  // Only a page of the sidebar is accepted, so that a link on another site cannot redirect elsewhere.
  const page = navigationPageOf(visit.query("to"));
  const isOfClient = page?.isOfClient === true && page.path === visit.query("to");
  const [only] = found;
  if (found.length === 1 && only !== undefined)
    return { redirect: isOfClient ? `${page.path}?client=${only.id}` : `/clients/${only.id}` };
  return {
    title: `Projects matching “${typed}”`,
    crumbs: [["Projects", "/clients"]],
    body: html`<section aria-label="Found">${table(
      "Matching projects",
      ["Name", "Environment", "Id"],
      found
        .slice(0, shownMax)
        .map(({ id, name, environment }) => [idLink("/clients", id, name), environment, copyable(id)]),
      html`No project has this id or a name that contains this text. See the <a href="/clients">list of all projects</a>.`,
    )}${found.length > shownMax && html`<p class="text-secondary">The first ${shownMax} matches are shown. Type more of the name to narrow the search.</p>`}</section>`,
  };
}

export const projectSwitch: Screen = {
  views: [{ path: "/switch", method: ProjectClientAdminService.method.listProjectClients, show: switchProject }],
};
