import { connect, createServer, type Server, type Socket } from "node:net";

/** How a proxy changes the bytes that pass through it. */
export type ProxyFault =
  | { readonly kind: "none" }
  /** Delay of each chunk in milliseconds. */
  | { readonly kind: "latency"; readonly ms: number }
  /** A connection is reset after this many bytes were returned over it. */
  | { readonly kind: "reset"; readonly afterBytes: number }
  /** The end of a connection is forwarded late. */
  | { readonly kind: "slow_close"; readonly ms: number }
  /** Maximum number of bytes per second that are returned over each connection. */
  | { readonly kind: "bandwidth"; readonly bytesPerSecond: number }
  /** Connections are accepted, but no bytes pass through them. */
  | { readonly kind: "black_hole" };

export type FaultProxy = {
  readonly name: string;
  readonly port: number;
  /** Sets the fault for all connections, including open ones. */
  set(fault: ProxyFault): void;
  /** Number of open connections. */
  connections(): number;
  close(): Promise<void>;
};

/**
 * A TCP proxy in front of 127.0.0.1:targetPort that injects faults. It understands no protocol: it only forwards or
 * withholds bytes.
 */
export async function startFaultProxy(name: string, port: number, targetPort: number): Promise<FaultProxy> {
  let fault: ProxyFault = { kind: "none" };
  const links = new Set<{ readonly client: Socket; readonly upstream: Socket }>();

  const server: Server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ host: "127.0.0.1", port: targetPort, allowHalfOpen: true });
    const link = { client, upstream };
    links.add(link);
    let returned = 0;
    const cut = (): void => {
      links.delete(link);
      client.destroy();
      upstream.destroy();
    };
    client.on("error", cut).on("close", cut);
    upstream.on("error", cut).on("close", cut);
    relay(
      client,
      upstream,
      () => fault,
      () => {},
    );
    relay(
      upstream,
      client,
      () => fault,
      (bytes) => {
        returned += bytes;
        if (fault.kind === "reset" && returned >= fault.afterBytes) {
          client.resetAndDestroy();
          cut();
        }
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    name,
    port,
    set: (next) => {
      fault = next;
      // Bytes in a black hole are lost. Their connections are closed afterwards, because a TCP stream must not miss
      // bytes.
      if (next.kind === "none") for (const { client } of links) if (swallowed.has(client)) client.destroy();
    },
    connections: () => links.size,
    close: () =>
      new Promise((resolve) => {
        for (const { client, upstream } of links) {
          client.destroy();
          upstream.destroy();
        }
        server.close(() => resolve());
      }),
  };
}

/** Sockets that lost bytes in a black hole. */
const swallowed = new WeakSet<Socket>();

/** Copies data from one socket to the other, in order, subject to the current fault. */
function relay(from: Socket, to: Socket, fault: () => ProxyFault, onBytes: (bytes: number) => void): void {
  let queue = Promise.resolve();
  const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  from.on("data", (chunk: Buffer) => {
    from.pause();
    queue = queue.then(async () => {
      const now = fault();
      if (now.kind === "black_hole") {
        swallowed.add(from);
        swallowed.add(to);
        from.resume();
        return;
      }
      if (now.kind === "latency") await after(now.ms);
      if (now.kind === "bandwidth") await after((chunk.byteLength / now.bytesPerSecond) * 1000);
      onBytes(chunk.byteLength);
      if (to.writable && !to.write(chunk))
        await new Promise<void>((resolve) => {
          const goOn = (): void => {
            to.off("drain", goOn).off("close", goOn);
            resolve();
          };
          to.on("drain", goOn).on("close", goOn);
        });
      from.resume();
    });
  });
  from.on("end", () => {
    queue = queue.then(async () => {
      const now = fault();
      if (now.kind === "slow_close") await after(now.ms);
      to.end();
    });
  });
}
