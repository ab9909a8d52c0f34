import { promises as dns, type LookupAddress } from "node:dns";
import { isLoopbackName } from "./check-outbound-url.ts";

/** Resolves a name to every address it has; rejects when it has none. */
type ResolveAll = (hostname: string) => Promise<readonly LookupAddress[]>;

/** What loopback names mean, whatever a resolver says (RFC 6761 §6.3). */
const loopbackAddresses: readonly LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

const resolver = new dns.Resolver({ timeout: 1_000, tries: 2 });

/**
 * Every address of a name, within about 2 s. DNS is asked without a thread of the pool: getaddrinfo holds one of four for as long as a
 * name server does not answer, so four dead names would delay the calls of everyone. It is asked only when DNS has answered that it does
 * not know the name, for names of the hosts file.
 */
export const resolveName: ResolveAll = async (hostname) => {
  if (isLoopbackName(hostname)) return loopbackAddresses;
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = [
    ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.length > 0) return addresses;
  const isSilent = [four, six].some((result) => result.status === "rejected" && result.reason?.code === "ETIMEOUT");
  if (isSilent) throw Object.assign(new Error("the name servers do not answer"), { code: "ETIMEOUT" });
  return dns.lookup(hostname, { all: true });
};
