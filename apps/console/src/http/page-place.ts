/**
 * The position of a list's page, as its address contains it. Cursors of lists only lead forward, so the address also
 * contains the cursors of the previous pages, oldest first. (The first page has none.) The way back is therefore exact,
 * and no service has to read backwards.
 */
export type PagePlace = { readonly cursor: string; readonly back: string };

/** Separates cursors. It does not occur in them, because they are base64url, numbers or ids. */
const separator = " ";
/** Marks that the cursors of the oldest pages were dropped, because the length of an address is limited. */
const leftOut = "*";
/** Maximum length of the cursors of earlier pages in an address, in characters: about 30 pages for most lists. */
export const backLengthMax = 2_000;

const cursorsIn = (back: string): string[] => back.split(separator).filter((cursor) => cursor !== "");

/** Returns the position of the next page. @param nextCursor the cursor with which the current page's list continues */
export function nextPage({ cursor, back }: PagePlace, nextCursor: string): PagePlace {
  let behind = [...cursorsIn(back), ...(cursor === "" ? [] : [cursor])];
  while (behind.join(separator).length > backLengthMax)
    behind = [leftOut, ...behind.filter((each) => each !== leftOut).slice(1)];
  return { cursor: nextCursor, back: behind.join(separator) };
}

/**
 * Returns the position of the previous page. Null for the first page, and if the address no longer contains the
 * previous cursor.
 */
export function previousPage({ cursor, back }: PagePlace): PagePlace | null {
  if (cursor === "") return null;
  const behind = cursorsIn(back);
  const previous = behind.pop() ?? "";
  return previous === leftOut ? null : { cursor: previous, back: behind.join(separator) };
}
