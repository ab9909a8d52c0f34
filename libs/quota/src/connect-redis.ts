import { Cluster, Redis, type RedisOptions } from "ioredis";
import { isDemotion, reconnectPermit } from "./demotion.ts";

/** A connection to a single Redis, to the primary that Sentinel names, or to a Redis Cluster. */
export type RedisConnection = Redis | Cluster;

/** Location of Redis: the values of REDIS_URL, REDIS_SENTINELS, REDIS_MASTER and REDIS_CA_FILE. */
export type RedisSettings = {
  /**
   * One URL for a single Redis, several URLs for nodes of a Redis Cluster. With Sentinel, the host in the URL is not
   * used.
   */
  readonly urls: readonly string[];
  /**
   * host:port of each Sentinel, prefixed by `redis://user:password@` if it requires a login; empty without Sentinel.
   */
  readonly sentinels: readonly string[];
  /** The name of the primary in Sentinel. */
  readonly master: string | null;
  /**
   * Reads the certificate (PEM) of the authority that signs the servers' certificates, before each connection. Null
   * selects the authorities that Node trusts.
   */
  readonly readCa: (() => string) | null;
};

/**
 * Maximum wait for the reply to one command, in milliseconds. It is much longer than a stall of this process's own
 * event loop.
 */
const commandTimeout = 1_000;

/**
 * Milliseconds after which a connection is replaced if a reply is due and nothing arrives. Without this limit, a
 * connection to a machine that has disappeared would end only when the kernel stops sending, a quarter of an hour
 * later.
 */
const socketTimeout = 3_000;

/**
 * How long a connection that is being closed may still deliver responses, in milliseconds. A server that does not
 * respond never confirms that the connection is closed.
 */
const disconnectTimeout = 500;

const retryDelayMs = (times: number): number => Math.min(50 * times, 500);

/** Delay before reconnecting to a lost Sentinel, which reports failovers, in milliseconds. */
const sentinelRetryDelayMs = (): number => 5_000;

const permits = new WeakMap<RedisConnection, () => boolean>();

/**
 * Connects to Redis. Commands fail fast: none is queued without a connection, and each waits for at most a second.
 * ioredis reconnects and resends commands without a reply, and every script recognizes its own earlier execution. A
 * connection is replaced if its server does not respond for three seconds, or rejects commands because it is no longer
 * the primary. The caller must ping an idle connection from time to time, and must subscribe again on each new
 * connection: see `channelFollower` and `checkRedis`.
 * @param where settings, or the URL of a single Redis
 * @param onError called with every connection error; without it ioredis would print the error
 */
export function connectRedis(where: string, onError: (error: Error) => void): Redis;
export function connectRedis(where: RedisSettings, onError: (error: Error) => void): RedisConnection;
export function connectRedis(where: RedisSettings | string, onError: (error: Error) => void): RedisConnection {
  const settings = typeof where === "string" ? { urls: [where], sentinels: [], master: null, readCa: null } : where;
  const mayReconnect = reconnectPermit();
  const redis = create(settings, (error) => isDemotion(error.message) && mayReconnect());
  permits.set(redis, mayReconnect);
  redis.on("error", onError);
  if (redis instanceof LastingRedis) redis.revive();
  return redis;
}

/**
 * Reconnects, at most once a second, if an error message says that the server is no longer the primary. ioredis detects
 * this for single commands; call this function for errors that a script has caught. It does nothing for a Cluster,
 * which redirects commands to its new primary without a new connection.
 */
export function reconnectIfDemoted(redis: RedisConnection, message: string): void {
  if (redis instanceof Redis && isDemotion(message) && permits.get(redis)?.() === true) reconnect(redis);
}

/**
 * Closes an open connection and opens it again. A connection that is being opened is not closed, because ioredis would
 * never open it again.
 */
export function reconnect(redis: RedisConnection): void {
  if (redis.status === "ready") redis.disconnect(true);
}

/**
 * A connection that ends only with `disconnect()`. If a failover ends a connection that ioredis is just opening,
 * ioredis mistakes that for a call of `disconnect` and never connects again. This class does.
 */
class LastingRedis extends Redis {
  #isClosed = false;

  /** Connects again after a disconnection that `disconnect()` did not cause. */
  revive(): void {
    this.on("end", () => {
      setTimeout(() => {
        if (!this.#isClosed && this.status === "end") this.connect().catch(() => {});
      }, retryDelayMs(1)).unref();
    });
  }

  override disconnect(isReconnecting = false): void {
    if (!isReconnecting) this.#isClosed = true;
    super.disconnect(isReconnecting);
  }
}

function create(
  { urls, sentinels, master, readCa }: RedisSettings,
  reconnectOnError: (error: Error) => boolean,
): RedisConnection {
  const [first] = urls;
  if (first === undefined) throw new Error("no URL of Redis");
  const { host, port, username, password, db } = serverOf(first);
  const isTls = first.startsWith("rediss:");
  // ioredis reads this property for each connection, so the getter reads the file again each time.
  const tls = readCa === null ? {} : Object.defineProperty({}, "ca", { get: readCa, enumerable: true });
  const options = {
    commandTimeout,
    socketTimeout,
    disconnectTimeout,
    connectTimeout: 1_000,
    maxRetriesPerRequest: 1,
  } satisfies RedisOptions;
  const login = { ...(username && { username }), ...(password && { password }), ...(isTls && { tls }) };
  const alone = {
    ...options,
    ...login,
    db,
    enableOfflineQueue: false,
    retryStrategy: retryDelayMs,
    reconnectOnError,
    // The follower of a channel subscribes at each `ready`, so ioredis must not. If a server rejected the subscription
    // of ioredis, the unhandled rejection would end the process.
    autoResubscribe: false,
    // Commands of one event-loop tick share one write, because a system call for each command costs more than the
    // command.
    enableAutoPipelining: true,
  };
  if (master !== null) {
    const servers = sentinels.map((text) => serverOf(text.includes("://") ? text : `redis://${text}`, 26_379));
    const [sentinel] = servers;
    return new LastingRedis({
      ...alone,
      name: master,
      sentinels: servers.map((server) => ({ host: server.host, port: server.port })),
      sentinelCommandTimeout: commandTimeout,
      sentinelRetryStrategy: retryDelayMs,
      // The connection to a former primary is closed as soon as the Sentinels name another one, even if the former
      // primary just does not respond.
      failoverDetector: true,
      sentinelReconnectStrategy: sentinelRetryDelayMs,
      ...(sentinel?.username && { sentinelUsername: sentinel.username }),
      ...(sentinel?.password && { sentinelPassword: sentinel.password }),
      ...(isTls && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
    });
  }
  if (urls.length === 1) return new LastingRedis({ ...alone, host, port });
  const nodes = urls.map((url) => serverOf(url));
  return new Cluster(
    nodes.map((node) => ({ host: node.host, port: node.port })),
    {
      // The first command to a node opens the node's connection and waits for it.
      redisOptions: { ...options, ...login },
      enableOfflineQueue: false,
      clusterRetryStrategy: retryDelayMs,
      // The Cluster's slots are read regularly, so that added and removed nodes are detected even if no command is
      // redirected.
      slotsRefreshInterval: 5_000,
      // Nodes are reached by host name, because certificates contain names, not addresses.
      ...(isTls && { dnsLookup: (address, callback) => callback(null, address) }),
    },
  );
}

/** Splits a URL into user, password, host and port; absent parts are empty texts. */
function serverOf(url: string, defaultPort = 6_379) {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? defaultPort : Number(port),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    db: Number(/^\/(\d+)$/.exec(pathname)?.[1] ?? 0),
  };
}
