import { parentPort } from "node:worker_threads";
import type { Operation } from "@platform/contracts/operation";
import { operations } from "@platform/contracts/operations";
import { isServiceError } from "@platform/kit/rpc/errors";
import { judgeRequest } from "./judge-request.ts";
import type { FromJudgingWorker, ToJudgingWorker } from "./judging-messages.ts";

const operationsById: Readonly<Record<string, Operation>> = operations;

function judge({ operationId, bytes, ...request }: ToJudgingWorker): FromJudgingWorker {
  const operation = operationsById[operationId];
  if (operation === undefined) return { kind: "failed", error: new Error(`no operation ${operationId}`) };
  try {
    const { buffer, byteOffset, byteLength } = bytes;
    const sent = { ...request, bytes: Buffer.from(buffer, byteOffset, byteLength), scan: null };
    return { kind: "judged", request: judgeRequest({ ...operation, id: operationId }, sent) };
  } catch (error) {
    if (!isServiceError(error)) return { kind: "failed", error };
    return { kind: "refused", code: error.code, message: error.message, details: error.details };
  }
}

parentPort?.on("message", (request: ToJudgingWorker) => parentPort?.postMessage(judge(request)));
parentPort?.postMessage({ kind: "ready" } satisfies FromJudgingWorker);
