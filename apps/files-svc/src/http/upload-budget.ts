import { Gauge, type Registry } from "@prometheus-io/client";
import { uploadBlocksMax } from "../bytes/block-filler.ts";
import { blockBytes } from "../bytes/block-pool.ts";

/** A memory budget that all uploads in flight share. */
export type UploadBudget = {
  /**
   * Reserves memory for one upload and returns the function that releases it. Null if the budget is used up.
   * @param contentLength null if the sender did not declare it
   */
  take(contentLength: number | null): (() => void) | null;
};

/**
 * Creates the budget.
 * @param bytesMax memory of all uploads in flight together
 * @param writerBytes memory that the blob store's writer needs for one upload
 */
export function createUploadBudget(bytesMax: number, writerBytes: number, registry: Registry): UploadBudget {
  const gauge = new Gauge({
    name: "platform_files_upload_bytes_in_flight",
    help: "Memory taken by uploads in flight, in bytes; refused beyond UPLOAD_BYTES_IN_FLIGHT_MAX.",
    registers: [registry],
  });
  let taken = 0;
  const change = (bytes: number): void => {
    taken += bytes;
    gauge.set(taken);
  };
  return {
    take: (contentLength) => {
      const blocks = Math.min(uploadBlocksMax, Math.ceil((contentLength ?? Number.POSITIVE_INFINITY) / blockBytes));
      const bytes = blocks * blockBytes + Math.min(writerBytes, contentLength ?? writerBytes);
      if (taken + bytes > bytesMax) return null;
      change(bytes);
      return () => change(-bytes);
    },
  };
}
