/** What the limit needs of a connection. */
type Closable = { destroy(): unknown; once(event: "close", listener: () => void): unknown };

/** Share of all connections from which on each network is held to an equal share of them. */
const nearlyFull = 0.8;

/** A network may always have so many: a browser opens six, a page's visitors behind one address a few times that. */
const connectionsMin = 32;

/**
 * Keeps one network from holding all connections of the process. When nearly all that the process accepts are open, a new connection of a
 * network with more than an equal share takes the place of one of its idle ones, the oldest first, and is itself closed when none is idle.
 * @param connectionsMax connections the process accepts
 * @param networkOf whom a connection belongs to; null exempts it (a trusted proxy, which brings everybody's requests)
 * @param isIdle is no request of the connection being answered?
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
    // In their order of arrival; the new connection comes last.
    for (const other of own) {
      if (!isIdle(other)) continue;
      other.destroy();
      return;
    }
  };
}
