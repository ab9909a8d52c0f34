import { Cluster, Redis, type RedisOptions } from "ioredis";

/** A connection to one Redis, to the primary that Sentinel names, or to a Redis Cluster. */
export type RedisConnection = Redis | Cluster;

/** Where Redis is: REDIS_URL, REDIS_SENTINELS, REDIS_MASTER and REDIS_CA_FILE as they were read. */
export type RedisSettings = {
  /** One URL for one Redis; several for some nodes of a Redis Cluster. With Sentinel its host is not used. */
  readonly urls: readonly string[];
  /** host:port of each Sentinel, with `redis://user:password@` in front where they ask for it; none without Sentinel. */
  readonly sentinels: readonly string[];
  /** The name Sentinel knows the primary by. */
  readonly master: string | null;
  /** PEM of the authority that signs the servers' certificates; null for those Node trusts. */
  readonly ca: string | null;
};

/** Longest wait for the answer to one command, in milliseconds. Well beyond a stall of this process's own event loop. */
const commandTimeout = 1_000;

/**
 * Connects to Redis. Commands fail fast: none is queued without a connection, and each waits for at most a second. ioredis reconnects and
 * resends commands that had no answer; every script recognises its own earlier work.
 * @param where settings, or the URL of one Redis
 * @param onError told of every connection error; ioredis would print it otherwise
 */
export function connectRedis(where: string, onError: (error: Error) => void): Redis;
export function connectRedis(where: RedisSettings, onError: (error: Error) => void): RedisConnection;
export function connectRedis(where: RedisSettings | string, onError: (error: Error) => void): RedisConnection {
  const settings = typeof where === "string" ? { urls: [where], sentinels: [], master: null, ca: null } : where;
  const redis = create(settings);
  redis.on("error", onError);
  return redis;
}

const retryDelayMs = (times: number): number => Math.min(50 * times, 500);

function create({ urls, sentinels, master, ca }: RedisSettings): RedisConnection {
  const [first] = urls;
  if (first === undefined) throw new Error("no URL of Redis");
  const { host, port, username, password, db } = serverOf(first);
  const isTls = first.startsWith("rediss:");
  const tls = ca === null ? {} : { ca };
  const options = { commandTimeout, connectTimeout: 1_000, maxRetriesPerRequest: 1 } satisfies RedisOptions;
  const login = { ...(username && { username }), ...(password && { password }), ...(isTls && { tls }) };
  const alone = {
    ...options,
    ...login,
    db,
    enableOfflineQueue: false,
    retryStrategy: retryDelayMs,
    // Commands of one event-loop tick share one write, because a system call for each costs more than the command.
    enableAutoPipelining: true,
  };
  if (master !== null) {
    const servers = sentinels.map((text) => serverOf(text.includes("://") ? text : `redis://${text}`, 26_379));
    const [sentinel] = servers;
    return new Redis({
      ...alone,
      name: master,
      sentinels: servers.map((server) => ({ host: server.host, port: server.port })),
      sentinelCommandTimeout: commandTimeout,
      sentinelRetryStrategy: retryDelayMs,
      ...(sentinel?.username && { sentinelUsername: sentinel.username }),
      ...(sentinel?.password && { sentinelPassword: sentinel.password }),
      ...(isTls && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
    });
  }
  if (urls.length === 1) return new Redis({ ...alone, host, port });
  const nodes = urls.map((url) => serverOf(url));
  return new Cluster(
    nodes.map((node) => ({ host: node.host, port: node.port })),
    {
      // A node's own connection is opened by its first command, which waits for it.
      redisOptions: { ...options, ...login },
      enableOfflineQueue: false,
      clusterRetryStrategy: retryDelayMs,
      // Notices added and removed nodes also when no command is redirected.
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
