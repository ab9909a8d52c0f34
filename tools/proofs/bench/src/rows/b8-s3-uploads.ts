import { Readable } from "node:stream";
import { S3Client } from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { startTestS3, type TestS3 } from "@platform/test-kit/s3";
import { present } from "../checkout/version.ts";
import { type LoadSample, rateOf } from "../load/sample.ts";
import { transferPieces } from "../load/transfer-load.ts";
import { startPlatform } from "../platform.ts";
import { type Row, ratioCheck } from "../row.ts";
import { uploadManyAtOnce, uploadOne } from "./b8-uploads.ts";

const megabytes = Number(process.env.BENCH_UPLOAD_MB ?? 1_024);
const ours = "PUT through the gateway";
const sdk = "@aws-sdk/lib-storage, no hash";
const unit = "MB/s";

/** Measures the same uploads into an S3 server, compared with the SDK that writes to it directly. */
export const s3UploadsRow: Row = {
  id: "B8S3",
  title: `Upload of ${megabytes} MB into S3 (versitygw), SHA-256 checked`,
  isOnRequest: true,
  run: async (bench) => {
    if ((process.env.TEST_S3_SERVER ?? "") === "")
      throw new Error(
        "TEST_S3_SERVER names no versitygw; make test-engines ONLY=s3 builds .local/test-engines/bin/versitygw",
      );
    const s3 = await startTestS3();
    bench.defer(s3.close);
    const platform = await startPlatform(present, s3.env);
    bench.defer(platform.stop);
    const measured = await bench.measure([
      {
        name: ours,
        role: "ours",
        unit,
        run: () => uploadOne(bench, platform, megabytes),
      },
      { name: sdk, role: "baseline", unit, run: () => uploadBySdk(s3) },
    ]);
    return {
      measured,
      // A part that is being uploaded has 5 MiB, of which the SDK keeps a second copy while it sends it.
      checks: [ratioCheck(measured, [ours, sdk]), ...(await uploadManyAtOnce(bench, platform, 24))],
      notes: [],
    };
  },
};

async function uploadBySdk({ settings }: TestS3): Promise<LoadSample> {
  const { region, endpoint, credentials, forcePathStyle, bucket } = settings;
  const client = new S3Client({ region, endpoint, credentials, forcePathStyle });
  const startedAtMs = performance.now();
  try {
    await new Upload({
      client,
      params: {
        Bucket: bucket,
        Key: "by-the-sdk",
        Body: Readable.from(transferPieces(megabytes), { objectMode: false }),
      },
    }).done();
    return rateOf(megabytes, performance.now() - startedAtMs);
  } finally {
    client.destroy();
  }
}
