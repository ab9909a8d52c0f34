import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { expect, test } from "vitest";
import { isMachineCall, type MachineCallers } from "./machine-caller.ts";

const machines: MachineCallers = {
  tokens: { isToken: (text) => text.startsWith("pcons_") },
  name: "consumer",
  methods: ["ReadEvents"],
};
const [method] = DomainEventConsumerService.methods;
const isMachine = (authorization: string | undefined, caller: string | null, methods = machines.methods): boolean => {
  if (method === undefined) throw new Error("the service has a method");
  const call = { metadata: { get: () => authorization }, peer: "", caller };
  return isMachineCall({ ...machines, methods }, method, call);
};

test("distinguishes a machine from an operator by the form of its token", () => {
  expect(isMachine("Bearer pcons_1", null)).toBe(true);
  expect(isMachine("Bearer operator-token", null)).toBe(false);
  expect(isMachine(undefined, null)).toBe(false);
});

test("admits a machine's token with the machine's certificate, and refuses it with any other", () => {
  expect(isMachine("Bearer pcons_1", "consumer")).toBe(true);
  for (const caller of ["", "ad-server", "gateway", "operator", "files-svc"]) {
    expect(() => isMachine("Bearer pcons_1", caller)).toThrow("certificate");
  }
});

test("refuses a machine's token for a method that is not on its list", () => {
  expect(isMachine("Bearer pcons_1", "consumer", ["Other"])).toBe(false);
});
