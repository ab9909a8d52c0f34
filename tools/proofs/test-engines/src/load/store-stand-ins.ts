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

/** Refunds of refused uploads wait for a minute and then for the next run of their sweep. */
const refundMsMax = 180_000;

type Behaviour = {
  readonly answer?: (request: S3Request) => S3Answer | null;
  readonly onExpect?: "silent" | "refused";
};

/** A store that misbehaves from the start, before any client has learnt how it behaves. */
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

/** Each client's storage in use is that of its stored files, since refused uploads were refunded. */
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

/** Stores and proxies in front of them that refuse a part of what Amazon S3 takes. */
export const storeStandIns: readonly StandInKind[] = [
  store("S3 store that refuses checksums", () => ({ answer: refusesChecksums })),
  store("S3 store that never says 100 Continue", () => ({ onExpect: "silent" })),
  store("S3 store that says 417 to 100-continue", () => ({ onExpect: "refused" })),
  store("S3 store that answers DELETE of what is absent with 404", () => ({ answer: refusesDeletesOfAbsent() })),
];
