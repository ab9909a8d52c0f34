import { parentPort, workerData } from "node:worker_threads";
import { batchWriter, openDatabase } from "./database-file.ts";

let database: ReturnType<typeof openDatabase> | undefined;
let write: ReturnType<typeof batchWriter> | undefined;

// An error ends the thread, after which the engine acknowledges no writes.
parentPort?.on("message", (batch: Uint8Array | null) => {
  if (batch === null) {
    database?.close();
    parentPort?.close();
    return;
  }
  database ??= openDatabase((workerData as { file: string }).file);
  write ??= batchWriter(database);
  write(Buffer.from(batch.buffer, batch.byteOffset, batch.byteLength));
  parentPort?.postMessage("committed");
});
