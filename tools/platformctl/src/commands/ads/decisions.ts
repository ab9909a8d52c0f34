import { timestampDate } from "@bufbuild/protobuf/wkt";
import { DecisionAdminService } from "@platform/proto/ads/v1/ads_admin";
import { type Command, InvalidArgumentError } from "commander";
import type { Ctl } from "../../ctl.ts";

type DecideOptions = {
  readonly campaign: string;
  readonly format: string;
  readonly placement: string;
  readonly expiresIn: number;
  readonly count?: number;
};

const tokensPerCall = 1000;
const tokensMax = 100_000;

export function registerDecisionCommands(ads: Command, ctl: Ctl): void {
  ads
    .command("decide")
    .description("Decide to show a campaign, and print the signed token that records its impression once.")
    .requiredOption("--campaign <id>", "campaign id")
    .option("--format <format>", "display, display_large or video; determines the viewability threshold", "display")
    .option("--placement <name>", "placement of the ad, 1 to 120 characters", "default")
    .option("--expires-in <seconds>", "lifetime of the token in seconds, 1 to 86400", readCount(86_400), 3600)
    .option(
      "--count <n>",
      `print {"tokens": [...]} with this number of tokens, 1 to ${tokensMax}`,
      readCount(tokensMax),
    )
    .addHelpText(
      "after",
      `
Examples:
  platformctl --json ads decide --campaign <id>
  platformctl --json ads decide --campaign <id> --format video --expires-in 600 --count 1000`,
    )
    .action(async (options: DecideOptions) => {
      const tokens = await decide(ctl, options, options.count ?? 1);
      ctl.print(options.count === undefined ? { token: tokens[0] } : { tokens });
    });
  ads
    .command("attribution")
    .description("Show the impression that an attribution token identifies.")
    .requiredOption(
      "--token <token or ->",
      "attribution token from the response to the impression: attr_…; - reads it from standard input",
    )
    .action(async (options: { token: string }) => {
      const attributionToken = options.token === "-" ? await ctl.readStandardInput() : options.token;
      const found = await ctl
        .connection("ads")
        .service(DecisionAdminService)
        .resolveAttribution({ attributionToken }, ctl.call());
      ctl.print({
        impression_id: found.impressionId,
        campaign_id: found.campaignId,
        placement: found.placement,
        format: found.format,
        recorded_at: found.recordedAt === undefined ? null : timestampDate(found.recordedAt).toISOString(),
      });
    });
}

/** Issues decisions in several calls of at most 1,000, so that each response fits into one gRPC message. */
async function decide(ctl: Ctl, options: DecideOptions, count: number): Promise<string[]> {
  const { campaign: campaignId, format, placement, expiresIn: expiresInSeconds } = options;
  const service = ctl.connection("ads").service(DecisionAdminService);
  const tokens: string[] = [];
  while (tokens.length < count) {
    const next = Math.min(tokensPerCall, count - tokens.length);
    const request = { campaignId, format, placement, expiresInSeconds, count: next };
    tokens.push(...(await service.issueDecisions(request, ctl.call())).tokens);
  }
  return tokens;
}

function readCount(max: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (!/^\d+$/.test(text) || count < 1 || count > max) throw new InvalidArgumentError(`must be 1 to ${max}`);
    return count;
  };
}
