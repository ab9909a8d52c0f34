import { Cluster, Redis, type RedisOptions } from "ioredis";
import { isDemotion, reconnectPermit } from "./demotion.ts";

/** A connection to one Redis, to the primary that Sentinel names, or to a Redis Cluster. */
export type RedisConnection = Redis | Cluster;

/** Location of Redis: the values of REDIS_URL, REDIS_SENTINELS, REDIS_MASTER and REDIS_CA_FILE. */
export type RedisSettings = {
  /** One URL for a single Redis; several URLs for nodes of a Redis Cluster. With Sentinel, the host is not used. */
  readonly urls: readonly string[];
  /**
   * host:port of each Sentinel, prefixed by `redis://user:password@` if it requires a login; empty without Sentinel.
   */
  readonly sentinels: readonly string[];
  /** The name of the primary in Sentinel. */
  readonly master: string | null;
  /** Reads the PEM of the authority that signs the servers' certificates, before each connection; null for those Node trusts. */
  readonly readCa: (() => string) | null;
};

/**
 * Maximum wait for the reply to one command, in milliseconds. It is much longer than a stall of this process's own
 * event loop.
 */
const commandTimeout = 1_000;

/**
 * Milliseconds after which a connection is replaced if a reply is due and nothing arrives. Without it, a connection to
 * a lost machine would end only when the kernel gives up sending, a quarter of an hour later.
 */
const socketTimeout = 3_000;

/** How long a connection that is being closed may still deliver responses, in milliseconds. A silent one never confirms. */
const disconnectTimeout = 500;

const retryDelayMs = (times: number): number => Math.min(50 * times, 500);

/** Delay before reconnecting to a lost Sentinel, which reports failovers, in milliseconds. */
const sentinelRetryDelayMs = (): number => 5_000;

const permits = new WeakMap<RedisConnection, () => boolean>();

/**
 * Connects to Redis. Commands fail fast: none is queued without a connection, and each waits for at most a second.
 * ioredis reconnects and resends commands without a reply, and every script recognizes its own earlier execution. A
 * connection is replaced if its server is silent for three seconds, or refuses commands because it is no longer the
 * primary. An idle connection has to be pinged from time to time, and a new connection has no subscriptions: see
 * `channelFollower` and `checkRedis`.
 * @param where settings, or the URL of one Redis
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
 * Reconnects when a refusal says that the server is no longer the primary, at most once a second. ioredis sees refusals of single commands by
 * itself; this is for those that a script has caught. A Cluster redirects to its new primary, without a new connection.
 */
export function reconnectIfDemoted(redis: RedisConnection, message: string): void {
  if (redis instanceof Redis && isDemotion(message) && permits.get(redis)?.() === true) reconnect(redis);
}

/**
 * Closes an open connection and opens it again. One that is being opened is left alone, because ioredis would give it
 * up permanently.
 */
export function reconnect(redis: RedisConnection): void {
  if (redis.status === "ready") redis.disconnect(true);
}

/**
 * A connection that ends only with `disconnect()`. ioredis permanently gives up a connection if news of a failover ends it while it is being
 * established, because it mistakes the interrupted attempt for a call of `disconnect`.
 */
class LastingRedis extends Redis {
  #isClosed = false;

  /** Connects again after a disconnection that nobody requested. */
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
  // ioredis copies these properties for each connection, which reads the file again.
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
    // A follower of a channel subscribes at each `ready`. ioredis would also renew the subscription, and a rejection
    // would end the process as an unhandled rejection.
    autoResubscribe: false,
    // Commands of one event-loop tick share one write, because a system call for each costs more than the command.
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
      // Leaves a former primary as soon as the Sentinels name another one, even if the former one is merely silent.
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
      // A node's own connection is opened by its first command, which waits for it.
      redisOptions: { ...options, ...login },
      enableOfflineQueue: false,
      clusterRetryStrategy: retryDelayMs,
      // Detects added and removed nodes even if no command is redirected.
      slotsRefreshInterval: 5_000,
      // Certificates name hosts, not addresses.
      ...(isTls && { dnsLookup: (address, callback) => callback(null, address) }),
    },
  );
}

/** User, password, host and port of a URL; absent ones are empty texts. */
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
