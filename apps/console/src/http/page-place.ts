/**
 * The position of a list's page, from its address. Cursors of lists only lead forward, so the address also contains the cursors of the previous pages,
 * oldest first. (The first page has none.) The way back is therefore exact, and no service has to read backwards.
 */
export type PagePlace = { readonly cursor: string; readonly back: string };

/** Separates cursors, which are base64url, numbers or ids. */
const separator = " ";
/** Marks that cursors of earlier pages were dropped, because the length of an address is limited. */
const leftOut = "*";
/** Maximum length of the cursors of earlier pages in an address, in characters: about 30 pages for most lists. */
export const backLengthMax = 2_000;

const cursorsIn = (back: string): string[] => back.split(separator).filter((cursor) => cursor !== "");

/** The place of the page after one. @param nextCursor the cursor with which that page's list continues */
export function nextPage({ cursor, back }: PagePlace, nextCursor: string): PagePlace {
  let behind = [...cursorsIn(back), ...(cursor === "" ? [] : [cursor])];
  while (behind.join(separator).length > backLengthMax)
    behind = [leftOut, ...behind.filter((each) => each !== leftOut).slice(1)];
  return { cursor: nextCursor, back: behind.join(separator) };
}

/** The cursor of the previous page. Null for the first page, and if the address no longer remembers it. */
export function previousPage({ cursor, back }: PagePlace): PagePlace | null {
  if (cursor === "") return null;
  const behind = cursorsIn(back);
  const previous = behind.pop() ?? "";
  return previous === leftOut ? null : { cursor: previous, back: behind.join(separator) };
}
