import { EventEmitter } from "node:events";
import { beforeEach, expect, test } from "vitest";
import { createConnectionLimit } from "./connection-limit.ts";

/** The part of a connection that the limit uses. */
class Connection extends EventEmitter {
  isBusy = false;
  isOpen = true;
  readonly network: string | null;
  constructor(network: string | null) {
    super();
    this.network = network;
  }
  destroy(): this {
    this.isOpen = false;
    this.emit("close");
    return this;
  }
}

let accept: (connection: Connection) => void;
beforeEach(() => {
  accept = createConnectionLimit<Connection>({
    connectionsMax: 1_000,
    networkOf: ({ network }) => network,
    isIdle: ({ isBusy }) => !isBusy,
  });
});
const open = (count: number, network: string | null, isBusy = false): Connection[] =>
  Array.from({ length: count }, () => {
    const connection = Object.assign(new Connection(network), { isBusy });
    accept(connection);
    return connection;
  });
const stillOpen = (connections: readonly Connection[]): number => connections.filter(({ isOpen }) => isOpen).length;

test("closes no connection while the process is far from its maximum", () => {
  expect(stillOpen(open(800, "a"))).toBe(800);
});

test("closes the oldest idle connections of a network above its share, and those of no other network (CWE-400)", () => {
  const quiet = open(20, "quiet");
  const flood = open(5_000, "flood");
  expect(stillOpen(quiet)).toBe(20);
  expect(stillOpen(flood)).toBe(780);
  expect(flood.at(-1)?.isOpen).toBe(true);
  expect(stillOpen(open(30, "another"))).toBe(30);
});

test("closes the new connection if all other connections of its network are busy", () => {
  const busy = open(800, "flood", true);
  const [next] = open(1, "flood");
  expect(next?.isOpen).toBe(false);
  expect(stillOpen(busy)).toBe(800);
});

test("does not count connections of a trusted proxy against a share", () => {
  expect(stillOpen(open(900, null))).toBe(900);
  expect(stillOpen(open(20, "a"))).toBe(20);
});

test("forgets closed connections", () => {
  for (const connection of open(800, "a")) connection.destroy();
  expect(stillOpen(open(800, "a"))).toBe(800);
});
