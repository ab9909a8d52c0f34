import { connectMongo } from "@platform/kit/store/schema";
import { readWorkerConfig } from "./config.ts";
import { openBlobStore, registerModels } from "./open-files-context.ts";
import { createBucketOwnership } from "./store/bucket-ownership.ts";
import { createBytesRecords } from "./store/bytes-records.ts";
import { createOrphanCandidates } from "./store/orphan-candidates.ts";
import { runBucketCommand } from "./worker/run-bucket-command.ts";

// Shows or sets which database a bucket belongs to. Usage: node src/bucket.ts status | adopt | accept COUNT, with the
// worker's environment.
try {
  const config = readWorkerConfig(process.env);
  const mongo = await connectMongo(config.mongo);
  const blobs = openBlobStore(config.blobs);
  try {
    const stores = registerModels(mongo);
    const records = createBytesRecords(stores.fileObjects, stores.publicAssets);
    const ownership = createBucketOwnership(stores.ownership, blobs, records);
    const candidates = createOrphanCandidates(stores.orphanCandidates);
    const say = (line: string): void => void process.stdout.write(`${line}\n`);
    await runBucketCommand({ ownership, candidates }, process.argv.slice(2), say);
  } finally {
    blobs.close();
    await mongo.close();
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
