import { once } from "node:events";
import { createServer } from "node:net";
import { httpServiceNames, type ServiceName, serviceNames, services } from "@platform/contracts/services";

/** The base for which services have their default ports. */
const defaultBase = 8080;

/** The ports of one local stack, all derived from its base (8080 by default). */
export type StackPorts = ReturnType<typeof stackPorts>;

/** @param base port of the gateway; all other ports have a fixed offset from it */
export function stackPorts(base: number) {
  const service = (name: ServiceName, shift: number) => {
    const { grpcPort, httpPort } = services[name];
    const offset = grpcPort - defaultBase;
    return {
      grpc: base + shift + offset,
      http: httpPort === null ? null : base + shift + httpPort - defaultBase,
      serverProbe: base + 30 + offset + (shift === 0 ? 0 : 40),
      workerProbe: base + 50 + offset + (shift === 0 ? 0 : 30),
    };
  };
  const servicesAt = (shift: number) => byName(serviceNames, (name) => service(name, shift));
  return {
    base,
    gateway: base,
    gatewayInternal: base + 1,
    /** Second gateway, for tests of several gateways together. */
    secondGateway: base + 2,
    secondGatewayInternal: base + 3,
    ...servicesAt(0),
    /** Port on which notify-svc accepts email that bounced, and the probes of that process. */
    bounces: { smtp: base + 34, probe: base + 28 },
    /** Second replicas, for tests of rolling restarts and upgrades. */
    second: { ...servicesAt(60), bounces: { smtp: base + 36, probe: base + 37 } },
    /**
     * Ports of the balancers, if every process has two replicas: clients reach either gateway through one, and gateways reach either replica of a service's
     * HTTP server through the others.
     */
    balanced: {
      gateway: base + 4,
      ...byName(httpServiceNames, (_name, index) => base + 5 + index),
    },
    mongo: base + 20,
    redis: base + 21,
    console: base + 30,
    oidcProvider: base + 31,
    prometheus: base + 32,
    alertmanager: base + 33,
    consoleProbe: base + 35,
    sinkApns: base + 24,
    sinkApnsTls: base + 25,
    sinkSmtps: base + 26,
    sinkHttp: base - 55,
    sinkSmtp: base === defaultBase ? 1025 : base - 56,
  };
}

function byName<Name extends string, T>(names: readonly Name[], of: (name: Name, index: number) => T): Record<Name, T> {
  return Object.fromEntries(names.map((name, index) => [name, of(name, index)])) as Record<Name, T>;
}

/** Returns the ports that are in use on 127.0.0.1. */
export async function takenPorts(ports: readonly number[]): Promise<number[]> {
  const isTaken = (port: number): Promise<boolean> =>
    new Promise((resolve) => {
      const server = createServer();
      server.once("error", () => resolve(true));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(false)));
    });
  const checked = await Promise.all(ports.map(async (port) => ((await isTaken(port)) ? port : null)));
  return checked.filter((port) => port !== null);
}

/** Returns every port number of a stack. */
export function allPorts(ports: StackPorts): number[] {
  const numbers = (value: unknown): number[] => {
    if (typeof value === "number") return [value];
    return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbers) : [];
  };
  return [...new Set(numbers(ports))];
}

/**
 * Chooses a base whose ports are all free. Until this process ends, no other process gets an overlapping range.
 * @param random a number in [0, 1)
 */
export async function freePortBase(random: () => number = Math.random): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const base = 10_000 + Math.floor(random() * 200) * 100;
    if ((await takenPorts(allPorts(stackPorts(base)))).length > 0) continue;
    // The last port of each range is not used by any stack. Two concurrent processes may both find a range free, but
    // only one of them can listen on this port.
    if (await claim(base - 1, base + 99)) return base;
  }
  throw new Error("no free range of ports was found");
}

/** Listens on all the ports until this process ends; returns false if one of them is in use. */
async function claim(...ports: readonly number[]): Promise<boolean> {
  const servers = ports.map((port) => createServer().unref().listen(port, "127.0.0.1"));
  const claimed = await Promise.allSettled(servers.map((server) => once(server, "listening")));
  if (claimed.every(({ status }) => status === "fulfilled")) return true;
  for (const server of servers) server.close();
  return false;
}
