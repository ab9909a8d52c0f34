/** Properties of a connection that the limit reads. */
type Closable = { destroy(): unknown; once(event: "close", listener: () => void): unknown };

/** From this share of all connections on, each network is limited to an equal share. */
const nearlyFull = 0.8;

/** A network may always have this many: a browser opens six, and several visitors may share an address. */
const connectionsMin = 32;

/**
 * Prevents one network from holding all connections of the process. Near the maximum, a new connection of a network above an equal share replaces its
 * oldest idle one, and is closed itself when none is idle.
 * @param connectionsMax connections the process accepts
 * @param networkOf the network of a connection; null exempts it (a trusted proxy, which forwards everybody's requests)
 * @param isIdle true if the connection has no request in progress
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
    // Connections in their order of arrival, with the new one last.
    for (const other of own) {
      if (!isIdle(other)) continue;
      other.destroy();
      return;
    }
  };
}
