import { Counter, type Registry } from "@prometheus-io/client";

/** Metrics of uploads. */
export type UploadMetrics = {
  /** Counts an upload by its outcome, which is "accepted" or an error code. */
  finished(outcome: string, bytes: number): void;
};

export function createUploadMetrics(registry: Registry): UploadMetrics {
  const uploads = new Counter({
    name: "platform_files_uploads_total",
    help: "Uploads by outcome: accepted, or the error code they were answered with.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  const bytes = new Counter({
    name: "platform_files_uploaded_bytes_total",
    help: "Bytes of accepted uploads.",
    registers: [registry],
  });
  return {
    finished: (outcome, size) => {
      uploads.inc({ outcome });
      bytes.inc(size);
    },
  };
}
