type Value = string | readonly string[] | undefined;

/**
 * Headers in the forms of servers, function gateways and frameworks: an object, `Headers` of any implementation, a Map,
 * pairs, or alternating names and values (`rawHeaders` of Node).
 */
export type ReceivedHeaders =
  | Headers
  | Readonly<Record<string, Value>>
  | Iterable<readonly [name: string, value: Value]>
  | readonly string[];

/**
 * The value of a header, whose name is case-insensitive (RFC 9110, 5.1). "" if it is missing, and if there are several,
 * because two readers could use different ones.
 */
export function headerValue(headers: ReceivedHeaders, name: string): string {
  const values: unknown[] = [];
  for (const [given, value] of entriesOf(headers)) {
    if (given.toLowerCase() !== name || value === undefined) continue;
    values.push(...(typeof value === "string" ? [value] : value));
  }
  const [value] = values;
  return values.length === 1 && typeof value === "string" ? value : "";
}

function entriesOf(headers: ReceivedHeaders): Iterable<readonly [string, Value]> {
  if (Array.isArray(headers) && typeof headers[0] === "string") return inPairs(headers as readonly string[]);
  if (Symbol.iterator in headers) return headers as Iterable<readonly [string, Value]>;
  return Object.entries(headers as Readonly<Record<string, Value>>);
}

function inPairs(names: readonly string[]): (readonly [string, Value])[] {
  return names.flatMap((name, index) => (index % 2 === 0 ? [[name, names[index + 1]] as const] : []));
}
