import { parentPort } from "node:worker_threads";
import type { Operation } from "@platform/contracts/operation";
import { operations } from "@platform/contracts/operations";
import { isServiceError } from "@platform/kit/rpc/errors";
import { validateRequest } from "./validate-request.ts";
import type { FromValidationWorker, ToValidationWorker } from "./validation-messages.ts";

const operationsById: Readonly<Record<string, Operation>> = operations;

function validate({ operationId, bytes, ...request }: ToValidationWorker): FromValidationWorker {
  const operation = operationsById[operationId];
  if (operation === undefined) return { kind: "failed", error: new Error(`no operation ${operationId}`) };
  try {
    const { buffer, byteOffset, byteLength } = bytes;
    const sent = { ...request, bytes: Buffer.from(buffer, byteOffset, byteLength), scan: null };
    return { kind: "valid", request: validateRequest({ ...operation, id: operationId }, sent) };
  } catch (error) {
    if (!isServiceError(error)) return { kind: "failed", error };
    return { kind: "refused", code: error.code, message: error.message, details: error.details };
  }
}

parentPort?.on("message", (request: ToValidationWorker) => parentPort?.postMessage(validate(request)));
parentPort?.postMessage({ kind: "ready" } satisfies FromValidationWorker);
