type Value = string | readonly string[] | undefined;
/**
 * Headers in the forms of servers, function gateways and frameworks: an object, `Headers` of any implementation, a Map,
 * pairs, or alternating names and values (`rawHeaders` of Node).
 */
export type ReceivedHeaders = Headers | Readonly<Record<string, Value>> | Iterable<readonly [name: string, value: Value]> | readonly string[];
/**
 * The value of a header, whose name is case-insensitive (RFC 9110, 5.1). "" if it is missing, and if there are several,
 * because two readers could use different ones.
 */
export declare function headerValue(headers: ReceivedHeaders, name: string): string;
export {};
