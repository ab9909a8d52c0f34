import type { Membership } from "@platform/kit/rpc/client";

/** The project of the requested pages, and the person's membership, which is null for an operator who is not a member. */
export type ProjectOfVisit = { readonly id: string; readonly membership: Membership | null };

/** The address of a project's pages. */
export const projectPath = (clientId: string): string => `/projects/${clientId}`;

/** Addresses that are the same within a project: what browsers load, the way in and out, the public status, and the projects themselves. */
const outside = /^\/(?:assets\/|sign-|signed-out|status(?:$|[?#])|projects(?:$|[/?#]))/;

/** A path of the console within a project, where its list of projects is that of the person's own. */
export function pathWithin(clientId: string, path: string): string {
  if (outside.test(path)) return path;
  if (path === "/clients") return "/projects";
  return `${projectPath(clientId)}${path === "/" ? "" : path}`;
}

/** The path of a page without that of its project. */
export const pathBelow = (path: string): string => path.replace(/^\/projects\/[^/]+(?=\/)/, "");

/**
 * A page whose links and forms stay within a project. Only attributes of templates match: what people wrote has no quotation marks in a page.
 * @param page a document that `html` made
 */
export function pageWithin(clientId: string, page: string): string {
  return page.replace(
    /\b(href|action|data-tail)="(\/[^"]*)"/g,
    (_whole, attribute: string, path: string) => `${attribute}="${pathWithin(clientId, path)}"`,
  );
}
