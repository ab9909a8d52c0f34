import { allPorts, stackPorts } from "@platform/stack/ports";
import type { Tree } from "./tree.ts";

/** Port of the local stack that everything else lies beside. */
const base = 8080;

/** Ports of a service without HTTP at this distance from the stack's base: two replicas, each with gRPC and two probe ports (stack, ports.ts). */
const portsAt = (offset: number): number[] => [0, 30, 50, 60, 70, 80].map((shift) => base + shift + offset);

/** A gRPC port for a new service: the first distance at which none of its ports is another's. */
export function servicePort(tree: Tree): { readonly offset: number; readonly grpc: number } {
  const taken = new Set(allPorts(stackPorts(base)));
  for (let offset = 8; offset < 20; offset += 1) {
    if (portsAt(offset).every((port) => !taken.has(port))) return { offset, grpc: base + offset };
  }
  throw new Error(`${tree.root}/tools/stack/src/ports.ts has no ports for another service; widen its ranges first`);
}
