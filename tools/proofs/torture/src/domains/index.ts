import type { DomainKind } from "../domain.ts";
import { audits } from "./audits.ts";
import { deliveries } from "./deliveries.ts";
import { events } from "./events.ts";
import { impressions } from "./impressions.ts";
import { migrations } from "./migrations.ts";
import { schedules } from "./schedules.ts";
import { uploads } from "./uploads.ts";

/** The domains that a torture run puts under load. */
export const domainKinds: readonly DomainKind[] = [
  events,
  audits,
  deliveries,
  uploads,
  schedules,
  impressions,
  migrations,
];
