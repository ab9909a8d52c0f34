import { createServer } from "node:net";

/** The ports of one local stack, all derived from its base (8080 by default). */
export type StackPorts = ReturnType<typeof stackPorts>;

/** @param base port of the gateway; everything else lies at a fixed distance from it */
export function stackPorts(base: number) {
  const service = (offset: number, hasHttp: boolean) => ({
    grpc: base + offset,
    http: hasHttp ? base + offset + 1 : null,
    serverProbe: base + 30 + offset,
    workerProbe: base + 50 + offset,
  });
  return {
    base,
    gateway: base,
    gatewayInternal: base + 1,
    /** Second gateway, for tests of what several gateways do together. */
    secondGateway: base + 2,
    secondGatewayInternal: base + 3,
    identity: service(10, true),
    files: service(12, true),
    notify: service(14, true),
    events: service(16, false),
    ads: service(18, false),
    mongo: base + 20,
    redis: base + 21,
    sinkApns: base + 24,
    sinkApnsTls: base + 25,
    sinkSmtps: base + 26,
    sinkHttp: base - 55,
    sinkSmtp: base === 8080 ? 1025 : base - 56,
  };
}

/** Which of the ports are taken on 127.0.0.1? */
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

/** Every port number of a stack. */
export function allPorts(ports: StackPorts): number[] {
  const numbers = Object.values(ports).flatMap((value) => (typeof value === "number" ? [value] : Object.values(value)));
  return [...new Set(numbers.filter((value) => value !== null))];
}

/** A base whose ports are all free now. @param random a number in [0, 1) */
export async function freePortBase(random: () => number = Math.random): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const base = 10_000 + Math.floor(random() * 200) * 100;
    if ((await takenPorts(allPorts(stackPorts(base)))).length === 0) return base;
  }
  throw new Error("no free range of ports was found");
}
