import type { Membership } from "@platform/kit/rpc/client";

/**
 * The project whose pages are shown, and the person's membership, which is null for an operator who is not a member.
 */
export type ProjectOfVisit = { readonly id: string; readonly membership: Membership | null };

/** Returns the path of a project's pages. */
export const projectPath = (clientId: string): string => `/projects/${clientId}`;

/**
 * Matches addresses that are the same within a project: assets, sign-in and sign-out, the public status page, and the
 * list of projects.
 */
const outside = /^\/(?:assets\/|sign-|signed-out|status(?:$|[?#])|projects(?:$|[/?#]))/;

/** Returns the path within a project for a path of the console. The list of projects becomes the person's own list. */
export function pathWithin(clientId: string, path: string): string {
  if (outside.test(path)) return path;
  if (path === "/clients") return "/projects";
  return `${projectPath(clientId)}${path === "/" ? "" : path}`;
}

/** Returns the path of a page without the path of its project. */
export const pathBelow = (path: string): string => path.replace(/^\/projects\/[^/]+(?=\/)/, "");

/**
 * Rewrites the links and forms of a page so that they stay within a project. Only attributes in templates match,
 * because user content never contains an unescaped quotation mark.
 * @param page a document that `html` created
 */
export function pageWithin(clientId: string, page: string): string {
  return page.replace(
    /\b(href|action|data-tail)="(\/[^"]*)"/g,
    (_whole, attribute: string, path: string) => `${attribute}="${pathWithin(clientId, path)}"`,
  );
}
