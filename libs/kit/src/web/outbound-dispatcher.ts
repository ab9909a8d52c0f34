import type { LookupAddress, LookupOptions } from "node:dns";
import type { Socket } from "node:net";
import { Agent, buildConnector, type Dispatcher } from "undici";
import { isLoopbackName, literalAddress, loopbackAddress, targetOf } from "./check-outbound-url.ts";
import { checkAddress, type OutboundPolicy, OutboundRefused, type OutboundTarget } from "./outbound-policy.ts";
import { resolveName } from "./resolve-name.ts";

type LookupCallback = (error: Error | null, addresses: LookupAddress[]) => void;
/** Type of dns.lookup with `all: true`. Tests pass a function whose result changes. */
export type OutboundLookup = (hostname: string, options: LookupOptions & { all: true }, done: LookupCallback) => void;

type OutboundDispatcherOptions = OutboundPolicy & {
  /** Time limit for connecting and the TLS handshake, in milliseconds. Default 10 s. */
  readonly connectMs?: number;
  /** Time limit for the first byte of the response, and between bytes of its body, in milliseconds. Default 15 s. */
  readonly answerMs?: number;
  /** Maximum number of connections to one origin. Default 8. */
  readonly connectionsPerOrigin?: number;
  readonly lookup?: OutboundLookup;
  /** PEM certificates that are trusted in addition to those of the system, for tests and private authorities. */
  readonly ca?: string | readonly string[];
};

/**
 * Creates an undici dispatcher for calls to URLs that callers choose. When it connects, it checks the address or
 * loopback name in the URL, every resolved address, and the peer of the connected socket. It therefore rejects a name
 * that later changes to a private address (DNS rebinding). It follows no redirects and reads no proxy settings.
 * Rejected requests fail with an OutboundRefused.
 */
export function createOutboundDispatcher(options: OutboundDispatcherOptions): Dispatcher {
  const lookup: OutboundLookup = options.lookup ?? lookupByName;
  const answerMs = options.answerMs ?? 15_000;
  return new Agent({
    connections: options.connectionsPerOrigin ?? 8,
    pipelining: 1,
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 60_000,
    maxHeaderSize: 16 * 1024,
    connect: guardedConnect(options, lookup),
  });
}

const lookupByName: OutboundLookup = (hostname, _given, done) => {
  resolveName(hostname).then(
    (addresses) => done(null, [...addresses]),
    (error: Error) => done(error, []),
  );
};

function guardedConnect(options: OutboundDispatcherOptions, lookup: OutboundLookup): buildConnector.connector {
  return (given, callback) => {
    const target = targetOf(given.protocol, given.port);
    const address = isLoopbackName(given.hostname) ? loopbackAddress : literalAddress(given.hostname);
    const refusal = address === null ? null : checkAddress(address, target, options);
    if (refusal !== null) return callback(new OutboundRefused(refusal), null);
    // A connector is created for each connection, because the rule depends on scheme and port. This is rare, because
    // connections are reused.
    const connect = buildConnector({
      timeout: options.connectMs ?? 10_000,
      lookup: guardedLookup(lookup, target, options),
      ...(options.ca === undefined ? {} : { ca: options.ca as string | string[] }),
    } as buildConnector.BuildOptions);
    connect(given, (error: Error | null, socket: Socket | null) => {
      if (error !== null || socket === null) return callback(error ?? new Error("not connected"), null);
      const reason = checkAddress(socket.remoteAddress ?? "", target, options);
      if (reason === null) return callback(null, socket);
      socket.destroy();
      callback(new OutboundRefused(reason), null);
    });
  };
}

/**
 * Returns a look-up that fails if any of the addresses is refused. Otherwise, an attacker could use a name with one
 * public and one private address.
 */
function guardedLookup(lookup: OutboundLookup, target: OutboundTarget, policy: OutboundPolicy) {
  return (
    hostname: string,
    given: LookupOptions,
    done: (error: Error | null, addresses: LookupAddress[] | string, family?: number) => void,
  ): void => {
    lookup(hostname, { ...given, all: true }, (error, addresses) => {
      if (error !== null) return done(error, []);
      const reason = addresses
        .map(({ address }) => checkAddress(address, target, policy))
        .find((found) => found !== null);
      if (reason !== undefined) return done(new OutboundRefused(reason), []);
      const first = addresses[0];
      if (first === undefined) return done(new Error("the name has no address"), []);
      if (given.all === true) return done(null, addresses);
      done(null, first.address, first.family);
    });
  };
}
