import { lookup } from "node:dns/promises";
import { isIP } from "node:net";

/** One process that can be called: its address, and its configured host, which its certificate must name. */
export type Endpoint = { readonly ip: string; readonly port: number; readonly host: string };

/** Returns every address of a name. Rejects if there is none. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export type Endpoints = {
  /** Resolves the names again soon, because the known endpoints fail. */
  refresh(): void;
  close(): void;
};

type HostPort = { readonly host: string; readonly port: number };

/** Looks up all A and AAAA records with the resolver of this machine. */
const resolveBySystem: ResolveName = async (name) => (await lookup(name, { all: true })).map(({ address }) => address);

const resolveEveryMs = 5_000;
const refreshMsMin = 500;

/** Parses `host:port,…` into hosts and ports; an IPv6 address is in brackets. Throws for any other text. */
export function parseAddress(address: string): HostPort[] {
  return address.split(",").map((one) => {
    const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(one.trim()) ?? [];
    const host = bracketed ?? plain;
    if (host === undefined || Number(port) > 65_535) throw new Error(`${address} is no list of host:port`);
    return { host, port: Number(port) };
  });
}

/**
 * Reports the endpoints behind an address, and each change of them. Names are resolved every 5 s; a name that cannot be resolved keeps its
 * addresses.
 */
export function watchEndpoints(
  address: string,
  onChange: (endpoints: readonly Endpoint[]) => void,
  { resolve = resolveBySystem, everyMs = resolveEveryMs }: { resolve?: ResolveName; everyMs?: number } = {},
): Endpoints {
  const targets = parseAddress(address);
  const known = new Map<string, readonly string[]>();
  const names = new Set(targets.map(({ host }) => host).filter((host) => isIP(host) === 0));
  let timer: NodeJS.Timeout | null = null;
  let isResolving = false;
  let isClosed = false;
  let askedAtMs = 0;

  const tell = (): void => {
    const endpoints = targets.flatMap(({ host, port }) =>
      (isIP(host) === 0 ? (known.get(host) ?? []) : [host]).map((ip) => ({ ip, port, host })),
    );
    if (!isClosed) onChange(endpoints);
  };
  const ask = async (): Promise<void> => {
    if (isResolving || isClosed) return;
    isResolving = true;
    askedAtMs = performance.now();
    await Promise.allSettled([...names].map(async (name) => known.set(name, await resolve(name))));
    isResolving = false;
    tell();
    again(everyMs);
  };
  const again = (afterMs: number): void => {
    if (timer !== null) clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => void ask(), afterMs).unref();
  };
  if (names.size === 0) queueMicrotask(tell);
  else void ask();
  return {
    refresh: () => {
      if (names.size > 0 && !isResolving) again(Math.max(0, askedAtMs + refreshMsMin - performance.now()));
    },
    close: () => {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
