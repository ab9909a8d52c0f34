import { eventually } from "@platform/test-kit/eventually";
import { startTestS3 } from "@platform/test-kit/s3";
import {
  refusesChecksums,
  refusesDeletesOfAbsent,
  type S3Answer,
  type S3Request,
  startS3StandIn,
} from "@platform/test-kit/s3-stand-in";
import { refusedUploads } from "./refused-uploads.ts";
import type { Acknowledged, StandIn, StandInKind } from "./stand-in.ts";

/** Storage of refused uploads is released after a minute, in the next run of the sweep. */
const refundMsMax = 180_000;

type Behaviour = {
  readonly answer?: (request: S3Request) => S3Answer | null;
  readonly onExpect?: "silent" | "refused";
};

/** Creates a store that misbehaves from the start, before any client has learned how it behaves. */
const store = (name: string, behaviour: () => Behaviour): StandInKind => ({
  name,
  start: async (): Promise<StandIn> => {
    const s3 = await startTestS3();
    const standIn = await startS3StandIn(s3, behaviour());
    return {
      env: { ...standIn.env },
      domains: [refusedUploads],
      misbehave: async () => {},
      findings: compareStorage,
      close: async () => {
        await standIn.close();
        await s3.close();
      },
    };
  },
});

/**
 * Checks that each client's storage quota equals the size of its stored files, because that of refused uploads was
 * released.
 */
async function compareStorage({ storageBytes, usedOf }: Acknowledged) {
  const lost: string[] = [];
  for (const [clientId, bytes] of storageBytes) {
    let used = -1;
    await eventually(
      async () => {
        used = await usedOf(clientId, "storage_bytes");
        return used === bytes;
      },
      { timeoutMs: refundMsMax, everyMs: 2_000 },
    ).catch(() => lost.push(`storage of ${clientId}: ${used} bytes in use, ${bytes} stored`));
  }
  return { lost, doubled: [], remarks: ["storage in use is that of the files stored"] };
}

/** Object stores, and proxies in front of them, that reject some of the requests that Amazon S3 accepts. */
export const storeStandIns: readonly StandInKind[] = [
  store("S3 store that refuses checksums", () => ({ answer: refusesChecksums })),
  store("S3 store that never says 100 Continue", () => ({ onExpect: "silent" })),
  store("S3 store that says 417 to 100-continue", () => ({ onExpect: "refused" })),
  store("S3 store that answers DELETE of what is absent with 404", () => ({ answer: refusesDeletesOfAbsent() })),
];
