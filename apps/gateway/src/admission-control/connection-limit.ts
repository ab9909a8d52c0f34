/** Properties of a connection that the limit reads. */
type Closable = { destroy(): unknown; once(event: "close", listener: () => void): unknown };

/** Once this share of all connections is in use, each network is limited to an equal share. */
const nearlyFull = 0.8;

/**
 * A network may always have this many connections, because a browser opens six, and several visitors may share an
 * address.
 */
const connectionsMin = 32;

/**
 * Prevents one network from using all connections of the process. Near the maximum, a new connection from a network
 * above its equal share replaces that network's oldest idle connection. If none is idle, the new connection is closed.
 * @param connectionsMax maximum number of connections that the process accepts
 * @param networkOf returns the network of a connection; null for a trusted proxy, which forwards requests of many
 * networks and is therefore exempt
 * @param isIdle returns whether the connection has no request in progress
 */
export function createConnectionLimit<S extends Closable>(options: {
  readonly connectionsMax: number;
  readonly networkOf: (socket: S) => string | null;
  readonly isIdle: (socket: S) => boolean;
}): (socket: S) => void {
  const { connectionsMax, networkOf, isIdle } = options;
  const networks = new Map<string, Set<S>>();
  let open = 0;

  return (socket) => {
    open += 1;
    const network = networkOf(socket);
    const own = network === null ? null : (networks.get(network) ?? new Set<S>());
    if (network !== null && own !== null) networks.set(network, own.add(socket));
    socket.once("close", () => {
      open -= 1;
      own?.delete(socket);
      if (network !== null && own?.size === 0) networks.delete(network);
    });
    if (own === null || open <= nearlyFull * connectionsMax) return;
    const share = Math.max(connectionsMin, (nearlyFull * connectionsMax) / networks.size);
    if (own.size <= share) return;
    // The connections are in their order of arrival; the new one is last.
    for (const other of own) {
      if (!isIdle(other)) continue;
      other.destroy();
      return;
    }
  };
}
