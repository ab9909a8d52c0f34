import { isIPv4 } from "node:net";
import { allowsLoopback, type Environment } from "./environment.ts";

const loopbackHosts = new Set(["127.0.0.1", "[::1]", "localhost"]);
const lengthMax = 2048;

/** A label of a host name (RFC 1123, 2.1). Some names on the web have underscores. */
const hostLabel = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const hostLengthMax = 253;

/** The query parameters that report the outcome to the project. */
const outcomeNames: ReadonlySet<string> = new Set(["transaction_id", "state", "status"]);

/**
 * The reason to reject an entry of a Project Client's allow-list of return URIs, for the operator, or null. An entry
 * must equal the URL parser's output: if they differ (upper-case hosts, encoded dots, `..` segments, backslashes, a
 * missing path), an allow-list and a browser can read one text as two URIs.
 */
export function returnUriProblem(uri: string, environment: Environment): string | null {
  if (uri.length > lengthMax) return `is longer than ${lengthMax} characters`;
  if (!URL.canParse(uri)) return "is not an absolute URL";
  const url = new URL(uri);
  const isLoopbackHttp = url.protocol === "http:" && loopbackHosts.has(url.hostname);
  if (url.protocol !== "https:" && !(isLoopbackHttp && allowsLoopback(environment))) {
    return allowsLoopback(environment) ? "must be https, or http on loopback" : "must be https";
  }
  if (url.username !== "" || url.password !== "") return "must not carry userinfo";
  if (uri.includes("#")) return "must not carry a fragment";
  if (url.hostname.endsWith(".")) return "must not end its host in a dot";
  if (!isHost(url.hostname)) return "must name one host, without wildcards";
  if (url.href !== uri) return `must be written as ${url.href}`;
  return null;
}

/**
 * Returns whether the host is an IP address or a name that can be registered. The URL parser, and RFC 3986 with its
 * `reg-name`, also accept `*.example` and `a,b.example` as hosts, which an operator may mistake for a pattern.
 */
function isHost(hostname: string): boolean {
  if (hostname.startsWith("[") || isIPv4(hostname)) return true;
  return hostname.length <= hostLengthMax && hostname.split(".").every((label) => hostLabel.test(label));
}

/** Returns whether `uri` is on the allow-list. The comparison is exact, without normalization, prefixes or patterns. */
export function isReturnUriAllowed(uri: string, allowed: readonly string[]): boolean {
  return allowed.includes(uri);
}

/**
 * The address at which a hosted continuation ends: the allow-listed `uri`, byte for byte, followed by the outcome (as
 * RFC 6749, 3.1.2, requires for redirect URIs). Parameters of the same names that the uri already has are replaced, so
 * that a project never reads two.
 */
export function returnLocation(
  uri: string,
  outcome: { transactionId: string; state: string; status: "link_pending" | "cancelled" },
): string {
  const added = new URLSearchParams({
    transaction_id: outcome.transactionId,
    state: outcome.state,
    status: outcome.status,
  });
  const queryAt = uri.indexOf("?");
  if (queryAt < 0) return `${uri}?${added}`;
  const parameters = uri.slice(queryAt + 1).split("&");
  const kept = parameters.filter((parameter) => !outcomeNames.has(nameOf(parameter)));
  return `${uri.slice(0, queryAt)}?${[...kept, added].join("&")}`;
}

/** The name of a parameter as a form parser reads it. */
function nameOf(parameter: string): string {
  const [[name] = [""]] = new URLSearchParams(parameter);
  return name;
}
