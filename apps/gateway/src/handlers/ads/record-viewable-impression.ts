import type { adsOperations } from "@platform/contracts/operations/ads";
import type { Handler } from "../../handler.ts";

/** Safe to send again: the signed token says which impression it is, and the service records it once. */
export const recordViewableImpression: Handler<(typeof adsOperations)["ads.recordViewableImpression"]> = async (
  input,
  { ads },
) => {
  const request = {
    token: input.body.token,
    visibleRatioBasisPoints: input.body.visible_ratio_basis_points,
    durationMilliseconds: input.body.duration_milliseconds,
  };
  const answer = await ads.guesses.judge(input.source, () =>
    ads.impressions.recordViewableImpression(request, { ...input.call, retryUnavailable: true }),
  );
  return {
    data: {
      recorded: answer.recorded,
      charged_minor: Number(answer.chargedMinor),
      destination_url: answer.destinationUrl === "" ? null : answer.destinationUrl,
      attribution_token: answer.attributionToken === "" ? null : answer.attributionToken,
    },
  };
};
