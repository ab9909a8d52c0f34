import { accounts } from "./accounts.ts";
import { adServers } from "./ad-servers.ts";
import { approvals } from "./approvals.ts";
import { brands } from "./brands.ts";
import { campaigns } from "./campaigns.ts";
import { captured } from "./captured.ts";
import { catalogVersions } from "./catalog-versions.ts";
import { consumers } from "./consumers.ts";
import { contacts } from "./contacts.ts";
import { credentials } from "./credentials.ts";
import { deliveries } from "./deliveries.ts";
import { endpoints } from "./endpoints.ts";
import { erasures } from "./erasures.ts";
import { files } from "./files.ts";
import { imagePresets } from "./image-presets.ts";
import { members } from "./members.ts";
import { migrations } from "./migrations.ts";
import { platformSessions } from "./platform-sessions.ts";
import { publicAssets } from "./public-assets.ts";
import { requests } from "./requests.ts";
import type { Resource } from "./resource.ts";
import { schedules } from "./schedules.ts";
import { senderProfiles } from "./sender-profiles.ts";
import { memberSessions, operatorSessions } from "./signed-in-sessions.ts";
import { signingKeys } from "./signing-keys.ts";
import { subscriptions } from "./subscriptions.ts";
import { suppressions } from "./suppressions.ts";

/**
 * Every resource of the operator table. platformctl does not load this list, but only the file of the resource that a
 * command names.
 */
export const resources: readonly Resource[] = [
  subscriptions,
  campaigns,
  migrations,
  brands,
  members,
  imagePresets,
  senderProfiles,
  deliveries,
  endpoints,
  suppressions,
  erasures,
  schedules,
  catalogVersions,
  captured,
  consumers,
  adServers,
  signingKeys,
  requests,
  contacts,
  credentials,
  files,
  publicAssets,
  accounts,
  platformSessions,
  operatorSessions,
  memberSessions,
  approvals,
];
