import { allowsLoopback, type Environment } from "./environment.ts";

const loopbackHosts = new Set(["127.0.0.1", "[::1]", "localhost"]);
const lengthMax = 2048;

/**
 * The reason to refuse an entry of a Project Client's allow-list of return URIs, for the operator, or null.
 * An entry must equal the URL parser's output: where they differ (upper-case hosts, encoded dots, `..` segments, back slashes, a missing path), an
 * allow-list and a browser can read one text as two URIs.
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
  if (url.href !== uri) return `must be written as ${url.href}`;
  return null;
}

/** Is `uri` on the allow-list? Compares exactly, without normalisation, prefixes or patterns. */
export function isReturnUriAllowed(uri: string, allowed: readonly string[]): boolean {
  return allowed.includes(uri);
}

/**
 * The address a hosted continuation ends at: the allow-listed `uri` with the outcome as query parameters. Parameters of the same names
 * that the uri already has are replaced, so that a project never reads two.
 */
export function returnLocation(
  uri: string,
  outcome: { transactionId: string; state: string; status: "link_pending" | "cancelled" },
): string {
  const url = new URL(uri);
  url.searchParams.set("transaction_id", outcome.transactionId);
  url.searchParams.set("state", outcome.state);
  url.searchParams.set("status", outcome.status);
  return url.href;
}
