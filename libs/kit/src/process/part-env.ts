/** Variables that set a port of a single part. */
const ownPorts: readonly string[] = ["PROBE_PORT", "GRPC_PORT", "HTTP_PORT"];

const prefixOf = (name: string): string => `${name.toUpperCase().replaceAll("-", "_")}__`;
const serviceOf = (part: string): string => part.replace(/(-svc)-[a-z]+$/, "$1");

/**
 * Splits the environment of a process into one environment for each of its parts. `EVENTS_SVC__NAME` sets NAME for all
 * parts of events-svc, and `EVENTS_SVC_WORKER__NAME` only for its worker. A variable without such a prefix is set for
 * every part, except PROBE_PORT, GRPC_PORT and HTTP_PORT: two parts cannot listen on one port, so these apply to the
 * first part, and the others listen on their default ports. No part receives variables whose prefix names another part.
 * @param parts names of the parts, in order
 * @throws Error if a prefix names a service that is not among the parts, or if several services would share one
 * database
 */
export function envOfParts(env: NodeJS.ProcessEnv, parts: readonly string[]): NodeJS.ProcessEnv[] {
  const prefixes = new Set(parts.flatMap((part) => [prefixOf(part), prefixOf(serviceOf(part))]));
  const unknown = Object.keys(env).find((name) => {
    const [prefix] = /^[A-Z0-9_]+_SVC(_[A-Z]+)?__/.exec(name) ?? [];
    return prefix !== undefined && !prefixes.has(prefix);
  });
  if (unknown !== undefined)
    throw new Error(`bad configuration\n  ${unknown}: this process has no such part, only ${parts.join(", ")}`);
  const services = new Set(parts.map(serviceOf).filter((name) => name.endsWith("-svc")));
  if (services.size > 1 && env.MONGODB_DATABASE !== undefined)
    throw new Error(
      "bad configuration\n  MONGODB_DATABASE: services do not share a database; set MONGODB_DATABASE_PREFIX",
    );

  const plain = Object.entries(env).filter(([name]) => ![...prefixes].some((prefix) => name.startsWith(prefix)));
  const withPrefix = (prefix: string): [string, string | undefined][] =>
    Object.entries(env).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    );
  return parts.map((part, index) => {
    const service = serviceOf(part);
    // A port that is set for a service is the port of its server process.
    const withoutPorts = (entries: readonly [string, string | undefined][], keep: boolean) =>
      keep ? entries : entries.filter(([name]) => !ownPorts.includes(name));
    return Object.fromEntries([
      ...withoutPorts(plain, index === 0),
      ...withoutPorts(withPrefix(prefixOf(service)), part === service),
      ...withPrefix(prefixOf(part)),
    ]);
  });
}
