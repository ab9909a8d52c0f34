import type { Row } from "./row.ts";
import { pipelineRow } from "./rows/b1-pipeline.ts";
import { latencyRow } from "./rows/b2-latency.ts";
import { hopRow } from "./rows/b3-hop.ts";
import { admissionRow } from "./rows/b4-admission.ts";
import { replayRow } from "./rows/b5-replay.ts";
import { ingestRow } from "./rows/b6-ingest.ts";
import { callsRow } from "./rows/b7-calls.ts";
import { uploadsRow } from "./rows/b8-uploads.ts";
import { publicAssetRow } from "./rows/b9-public-asset.ts";
import { catalogRow } from "./rows/b10-catalog.ts";
import { twoGatewaysRow } from "./rows/b11-two-gateways.ts";
import { soakRow } from "./rows/b12-soak.ts";
import { eventsRow } from "./rows/events.ts";
import { floodRow } from "./rows/flood.ts";
import { impressionsRow } from "./rows/impressions.ts";
import { mechanismsRow } from "./rows/mechanisms.ts";
import { embeddedMongoRow } from "./rows/mongo.ts";
import { notifyDeliveriesRow } from "./rows/notify-deliveries.ts";
import { spineRow } from "./rows/spine.ts";
import { storeRow } from "./rows/store.ts";

/** Every row, in the order of the table. */
export const rows: readonly Row[] = [
  spineRow,
  embeddedMongoRow,
  storeRow,
  pipelineRow,
  latencyRow,
  hopRow,
  admissionRow,
  replayRow,
  ingestRow,
  eventsRow,
  callsRow,
  uploadsRow,
  publicAssetRow,
  catalogRow,
  twoGatewaysRow,
  impressionsRow,
  notifyDeliveriesRow,
  floodRow,
  mechanismsRow,
  soakRow,
];
