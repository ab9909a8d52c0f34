import { checkKeyring } from "@platform/service-kit/mongo/check-keyring";
import { buildIndexes, connectMongo, pingMongo } from "@platform/service-kit/mongo/connect";
import { databaseClock } from "@platform/service-kit/mongo/database-clock";
import { createCampaignReportStore } from "./campaign-reports.ts";
import { createCampaignStore } from "./campaigns.ts";
import { createImpressionStore } from "./impressions.ts";
import { createSigningKeyStore } from "./signing-keys.ts";

export type AdsStore = Awaited<ReturnType<typeof openAdsStore>>;

/** Opens everything ads-svc keeps, and builds its indexes when told to. */
export async function openAdsStore(options: { uri: string; database: string; autoIndex: boolean }) {
  const connection = await connectMongo(options);
  const store = {
    campaigns: createCampaignStore(connection),
    campaignReports: createCampaignReportStore(connection),
    impressions: createImpressionStore(connection),
    signingKeys: createSigningKeyStore(connection),
    /** The database's time. */
    clock: await databaseClock(connection),
    checkKeyring: checkKeyring.bind(null, connection),
    /** Does the database answer? */
    ping: () => pingMongo(connection),
    close: () => connection.close(),
  };
  if (options.autoIndex) await buildIndexes(connection);
  return store;
}
