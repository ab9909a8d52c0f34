import { createHash, type Hash } from "node:crypto";
import { parentPort } from "node:worker_threads";
import type { FromHashWorker, ToHashWorker } from "./hash-messages.ts";

const hashes = new Map<number, Hash>();

function hashOf(id: number): Hash {
  const begun = hashes.get(id) ?? createHash("sha256");
  hashes.set(id, begun);
  return begun;
}

function answer(value: FromHashWorker): void {
  parentPort?.postMessage(value);
}

parentPort?.on("message", (message: ToHashWorker) => {
  if (message.kind === "update") {
    hashOf(message.hash).update(message.bytes);
    answer(null);
    return;
  }
  if (message.kind === "digest") answer(hashOf(message.hash).digest("hex"));
  hashes.delete(message.hash);
});
