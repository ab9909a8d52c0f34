import { isCallerOwned } from "@platform/contracts/caller-json";
import { type OperationId, operationList, operations } from "@platform/contracts/operations";
import { expect, test } from "vitest";
import { z } from "zod";
import { preparedBodies } from "./prepared-bodies.ts";

/**
 * Returns whether a body contains the caller's own JSON, in a member that the contract names or in one that it leaves
 * open.
 */
function holdsCallerJson(body: z.ZodType | null): boolean {
  if (!(body instanceof z.ZodObject)) return false;
  const isOpen = body.def.catchall !== undefined && !(body.def.catchall instanceof z.ZodNever);
  return isOpen || Object.keys(body.shape).some((name) => isCallerOwned(body, name));
}

test("prepares every body that contains JSON of the caller, so that a thread can send it back", () => {
  const ids = operationList.filter(({ transport, body }) => transport === "call" && holdsCallerJson(body));
  expect(ids.map(({ id }) => id)).toContain("events.publishDomainEvent");
  expect(Object.keys(preparedBodies)).toEqual(expect.arrayContaining(ids.map(({ id }) => id)));
});

test("prepares bodies of operations that exist", () => {
  const known: readonly OperationId[] = Object.keys(operations) as OperationId[];
  expect(known).toEqual(expect.arrayContaining(Object.keys(preparedBodies)));
});
