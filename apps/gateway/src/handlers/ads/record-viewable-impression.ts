import type { adsOperations } from "@platform/contracts/operations/ads";
import type { Handler } from "../../handler.ts";

/**
 * The call is safe to repeat, because the signed token identifies the impression and the service records it once.
 * Invalid tokens are not counted by source: an Ed25519 signature cannot be guessed, verifying one needs no database
 * query, and honest browsers may share the address. Admission control limits the work.
 */
export const recordViewableImpression: Handler<(typeof adsOperations)["ads.recordViewableImpression"]> = async (
  input,
  { ads },
) => {
  const request = {
    token: input.body.token,
    visibleRatioBasisPoints: input.body.visible_ratio_basis_points,
    durationMilliseconds: input.body.duration_milliseconds,
  };
  const answer = await ads.impressions.recordViewableImpression(request, { ...input.call, retryUnavailable: true });
  return {
    data: {
      recorded: answer.recorded,
      charged_minor: Number(answer.chargedMinor),
      destination_url: answer.destinationUrl === "" ? null : answer.destinationUrl,
      attribution_token: answer.attributionToken === "" ? null : answer.attributionToken,
    },
  };
};
