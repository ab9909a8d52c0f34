/** Base path of the hosted pages. None of their addresses contains a token. */
export const pagesBase = "/api/v1/identity-migration";

/** The address of a page or a form's action. */
export function pageAddress(page: string): string {
  return `${pagesBase}/${page}`;
}
