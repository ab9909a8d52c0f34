import { allPorts, stackPorts } from "@platform/stack/ports";

/** Port of the local stack, relative to which all other ports are chosen. */
const base = 8080;

/** Returns the ports of a service without HTTP whose gRPC port is `grpc`: two replicas, each with gRPC and two probe ports (stack, ports.ts). */
const portsOf = (grpc: number): number[] => [0, 30, 50, 60, 70, 80].map((shift) => grpc + shift);

/**
 * Chooses the gRPC port of a new service: the first one for which no other service uses any of its ports.
 * @throws if the local stack's range of 100 ports has no free ports
 */
export function freePort(): number {
  const taken = new Set(allPorts(stackPorts(base)));
  for (let port = base + 8; port < base + 20; port += 1) {
    if (portsOf(port).every((one) => !taken.has(one))) return port;
  }
  throw new Error("tools/local/stack/src/ports.ts has no ports for another service; widen its ranges first");
}
