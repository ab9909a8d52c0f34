import type { Row } from "./row.ts";
import { pipelineRow } from "./rows/b1-pipeline.ts";
import { hopRow } from "./rows/b3-hop.ts";
import { admissionRow } from "./rows/b4-admission.ts";
import { embeddedMongoRow } from "./rows/mongo.ts";
import { spineRow } from "./rows/spine.ts";

/** Every row, in the order of the table. */
export const rows: readonly Row[] = [spineRow, embeddedMongoRow, pipelineRow, hopRow, admissionRow];
