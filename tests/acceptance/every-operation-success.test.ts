import { randomUUID } from "node:crypto";
import { operationList } from "@platform/contracts/operations";
import { beforeAll, describe, expect, test } from "vitest";
import { credentialFor, send } from "./walk/operation-request.ts";
import type { Project } from "./walk/project.ts";
import { sharedProject } from "./walk/shared-project.ts";
import { workingRequests } from "./walk/working-requests.ts";

let project: Project;
beforeAll(async () => {
  project = await sharedProject();
});

describe.each(operationList)("$id", (operation) => {
  test("returns the status and the body of the contract, and names its correlation id", async () => {
    const request = await workingRequests[operation.id](project);
    const correlationId = randomUUID();
    const reply = await send(operation, request, {
      credential: credentialFor(operation, request, project.client.credential),
      headers: { "x-correlation-id": correlationId },
    });
    expect({ status: reply.status, text: reply.text }).toMatchObject({ status: operation.status });
    expect(operation.response?.safeParse(reply.json).error?.issues).toBeUndefined();
    // The check is strict: a response must not contain properties that the schema does not name.
    if (operation.response !== null) expect(operation.response.parse(reply.json)).toEqual(reply.json);
    expect(reply.headers.get("x-correlation-id")).toBe(correlationId);
    if (operation.auth.scheme !== "none") expect(reply.headers.get("cache-control")).toMatch(/no-store/);
  });
});
