/** Names and values of the headers that are sent with every call of a scheduled operation. */
export type CallHeaders = readonly (readonly [name: string, value: string])[];

/** Thrown for headers that cannot be set. The message tells the operator the reason. */
export class BadHeaders extends Error {}

const headersMax = 10;
const nameMax = 100;
const valueMax = 1_000;

/** The token and the field value of RFC 9110, 5.1 and 5.5, without line breaks and characters beyond ASCII. */
const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const valuePattern = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Headers that an operator cannot set: those of a single hop (RFC 9110, 7.6.1), and those that frame, describe or
 * sign the call, which the platform sets.
 */
const ownNames = new Set(
  "connection expect host keep-alive te trailer transfer-encoding upgrade user-agent".split(" "),
);
const ownPrefixes = ["content-", "proxy-", "webhook-"];

const isOwn = (name: string): boolean => ownNames.has(name) || ownPrefixes.some((prefix) => name.startsWith(prefix));

/**
 * Reads the JSON object of headers that an operator sets.
 * @throws BadHeaders
 */
export function readCallHeaders(json: string): CallHeaders {
  const headers = Object.entries(objectOf(json));
  if (headers.length > headersMax) throw new BadHeaders(`an operation has at most ${headersMax} headers`);
  const seen = new Set<string>();
  return headers.map(([name, value]) => {
    const key = name.toLowerCase();
    if (!namePattern.test(name) || name.length > nameMax)
      throw new BadHeaders(`"${name.slice(0, nameMax)}" is no name of a header, which has 1 to ${nameMax} characters`);
    if (isOwn(key)) throw new BadHeaders(`the header ${name} is the platform's own and cannot be set`);
    if (seen.has(key)) throw new BadHeaders(`the header ${name} is given twice`);
    seen.add(key);
    if (typeof value !== "string" || !valuePattern.test(value) || value.length > valueMax)
      throw new BadHeaders(
        `the value of ${name} must be a text of 1 to ${valueMax} ASCII characters, without line breaks and blanks at its ends`,
      );
    return [name, value];
  });
}

function objectOf(json: string): object {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    parsed = null;
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new BadHeaders('headers are a JSON object of names and values, such as {"X-Environment": "blue"}');
  return parsed;
}
