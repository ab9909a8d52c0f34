type Value = string | readonly string[] | undefined;
/**
 * Headers as servers, gateways of functions and frameworks hand them over: an object, `Headers` of any implementation, a Map, pairs, or names and values
 * in turn (`rawHeaders` of Node).
 */
export type ReceivedHeaders = Headers | Readonly<Record<string, Value>> | Iterable<readonly [name: string, value: Value]> | readonly string[];
/** The value of a header, whose name is case-insensitive (RFC 9110, 5.1). "" without one, or with several, because two readers could use different ones. */
export declare function headerValue(headers: ReceivedHeaders, name: string): string;
export {};
