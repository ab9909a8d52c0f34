/**
 * The value of a header, whose name is case-insensitive (RFC 9110, 5.1). "" if it is missing, and if there are several,
 * because two readers could use different ones.
 */
export function headerValue(headers, name) {
    const values = [];
    for (const [given, value] of entriesOf(headers)) {
        if (given.toLowerCase() !== name || value === undefined)
            continue;
        values.push(...(typeof value === "string" ? [value] : value));
    }
    const [value] = values;
    return values.length === 1 && typeof value === "string" ? value : "";
}
function entriesOf(headers) {
    if (Array.isArray(headers) && typeof headers[0] === "string")
        return inPairs(headers);
    if (Symbol.iterator in headers)
        return headers;
    return Object.entries(headers);
}
function inPairs(names) {
    return names.flatMap((name, index) => (index % 2 === 0 ? [[name, names[index + 1]]] : []));
}
