import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * A TCP address in front of servers that change, like a Kubernetes Service, a load balancer or the endpoint of a managed store. Like those, it redirects only
 * new connections.
 */
export type SwitchedAddress = {
  readonly port: number;
  /** Connects new connections to another port of 127.0.0.1; open connections stay where they are. */
  pointTo(port: number): void;
  /**
   * Stops forwarding on the open connections in both directions without closing them, as if the server's machine had lost power. New connections are not
   * affected.
   */
  silence(): void;
  /** Forwards only requests on the open connections, so the server executes them and its responses are lost. New connections are not affected. */
  dropAnswers(): void;
  /** Breaks the open connections. */
  cut(): void;
  /** Closes every connection and stops listening. */
  close(): Promise<void>;
};

/** The directions of a connection that are forwarded. */
type Connection = { carriesRequests: boolean; carriesAnswers: boolean };

/** Listens on a free port of 127.0.0.1 and forwards to `targetPort`. */
export async function startSwitchedAddress(targetPort: number): Promise<SwitchedAddress> {
  let target = targetPort;
  const sockets = new Set<Socket>();
  const connections = new Set<Connection>();

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: target, host: "127.0.0.1", noDelay: true });
    const connection: Connection = { carriesRequests: true, carriesAnswers: true };
    connections.add(connection);
    const carry = (from: Socket, to: Socket, direction: keyof Connection): void => {
      sockets.add(from);
      from.on("data", (chunk) => {
        if (connection[direction]) to.write(chunk);
      });
      from.on("end", () => {
        if (connection[direction]) to.end();
      });
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        connections.delete(connection);
        if (connection.carriesRequests) to.destroy();
      });
    };
    carry(client, upstream, "carriesRequests");
    carry(upstream, client, "carriesAnswers");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    pointTo: (port) => {
      target = port;
    },
    silence: () => {
      for (const connection of connections)
        Object.assign(connection, { carriesRequests: false, carriesAnswers: false });
    },
    dropAnswers: () => {
      for (const connection of connections) connection.carriesAnswers = false;
    },
    cut,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
