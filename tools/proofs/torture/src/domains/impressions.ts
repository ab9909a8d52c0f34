import { setTimeout as delay } from "node:timers/promises";
import { type DomainKind, verdictOn, type World } from "../domain.ts";
import { acknowledge, begin, type Entries, found } from "../entry.ts";

const cpmMinor = 250;
const tokensAtOnce = 1_000;
const viewed = { visible_ratio_basis_points: 10_000, duration_milliseconds: 2_000 };

/**
 * Viewable Impressions: each token is reported twice concurrently and must be recorded once, and the sum of the charges
 * must be exact.
 */
export const impressions: DomainKind = {
  name: "impressions",
  perSecond: 20,
  create: async ({ ask, platform }) => {
    const entries: Entries = new Map();
    const { id: campaignId } = (await platform.ctl([
      "campaigns", "create", "--name", "load", "--currency", "JPY", "--cpm-minor", `${cpmMinor}`, "--budget-minor", "1000000000",
      "--destination-url", "https://advertiser.example/",
    ])) as { id: string }; // biome-ignore format: one command
    const nextToken = createTokens(platform, campaignId);
    let chargedInAnswers = 0;
    return {
      load: async () => {
        const token = await nextToken();
        const entry = begin(entries, campaignId, decisionIdOf(token));
        const call = { path: "/advertising/viewable-impressions", credential: null, body: { token, ...viewed } };
        const answers = await Promise.all([ask.untilAnswered(entry, call), ask.untilAnswered(entry, call)]);
        for (const { data, refusal } of answers) {
          if (data !== null) acknowledge(entry, entry.key);
          entry.refusal ??= refusal;
          chargedInAnswers += Number(data?.charged_minor ?? 0);
        }
        if (answers.every(({ data }) => data?.recorded === true)) entry.isDoubled = true;
      },
      reconcile: async (stores) => {
        const ledger = stores("ads").collection<{ _id: string; charged_minor: number }>("impressions");
        let count = 0;
        let charged = 0;
        for await (const { _id, charged_minor } of ledger.find({ campaign_id: campaignId })) {
          count += 1;
          charged += charged_minor;
          const entry = entries.get(_id);
          if (entry !== undefined) found(entry, _id);
        }
        const expected = Math.floor((count * cpmMinor) / 1_000);
        const isExact = charged === expected && chargedInAnswers <= charged;
        const verified = await platform.ctl(["campaigns", "verify", "--campaign", campaignId]).then(
          () => "the ledger verifies",
          (error: Error) => `LEDGER does not verify: ${error.message}`,
        );
        return verdictOn("impressions", entries, [
          `${isExact ? "charged" : "WRONG charge:"} ${charged} for ${count} recorded, ${expected} expected`,
          verified,
        ]);
      },
    };
  },
};

/** The id inside a signed decision token, under which its impression is stored. */
function decisionIdOf(token: string): string {
  const [, claims = ""] = token.split(".");
  return String(JSON.parse(Buffer.from(claims, "base64url").toString()).jti);
}

/** Decision tokens, issued in batches. */
function createTokens(platform: World["platform"], campaignId: string): () => Promise<string> {
  const tokens: string[] = [];
  let issuing: Promise<void> | null = null;
  const issue = async (): Promise<void> => {
    const command = ["ads", "decide", "--campaign", campaignId, "--count", `${tokensAtOnce}`, "--expires-in", "86400"];
    // The call is rejected while ads-svc or its store is unavailable.
    await platform.ctl(command).then(
      (answer) => void tokens.push(...(answer as { tokens: string[] }).tokens),
      () => delay(1_000),
    );
  };
  return async () => {
    for (;;) {
      if (tokens.length < tokensAtOnce / 4) {
        issuing ??= issue().finally(() => {
          issuing = null;
        });
      }
      const token = tokens.pop();
      if (token !== undefined) return token;
      await issuing;
    }
  };
}
