import { parseExactly } from "@platform/contracts/exact-json";

/**
 * Maximum number of characters of an event's data on a page. A page has 50 events. Indenting 1 MiB for each of them
 * would block all other pages for seconds.
 */
export const shownDataMax = 16 * 1024;

/**
 * Formats the data of an event for people: indented, with the publisher's digits. Large data is cut off, and followed
 * by its number of characters.
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
