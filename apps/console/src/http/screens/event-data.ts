import { parseExactly } from "@platform/contracts/exact-json";

/** Maximum number of characters of an event's data on a page. A page has 50 events, and indenting 1 MiB for each would block every other page for seconds. */
export const shownDataMax = 16 * 1024;

/**
 * The data of an event for people: indented, with the publisher's digits. Large data is cut, and followed by its number
 * of characters.
 */
export function shownData(dataJson: string): string {
  if (dataJson.length > shownDataMax) {
    const beginning = dataJson.slice(0, shownDataMax).toWellFormed();
    return `${beginning}… (the first ${shownDataMax} of ${dataJson.length} characters)`;
  }
  try {
    return JSON.stringify(parseExactly(dataJson), null, 2);
  } catch {
    return dataJson;
  }
}
