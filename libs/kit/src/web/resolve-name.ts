import { promises as dns, type LookupAddress } from "node:dns";
import { isLoopbackName } from "./check-outbound-url.ts";

/** Resolves a name to all its addresses; rejects if it has none. */
type ResolveAll = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Addresses of loopback names, for which no resolver is queried (RFC 6761 §6.3). */
const loopbackAddresses: readonly LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

const resolver = new dns.Resolver({ timeout: 1_000, tries: 2 });

/**
 * Returns all addresses of a name, within about 2 s. DNS is queried directly. getaddrinfo would block one of the four
 * threads of the thread pool while a name server does not respond, so four such names would delay all calls. It is used
 * only for names that DNS does not know, because it reads the hosts file.
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
