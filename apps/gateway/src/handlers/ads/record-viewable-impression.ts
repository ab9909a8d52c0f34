import type { adsOperations } from "@platform/contracts/operations/ads";
import { isServiceError, ServiceError } from "@platform/service-kit/errors/service-error";
import type { Handler } from "../../handler.ts";

/** Safe to send again: the signed token says which impression it is, and the service records it once. */
export const recordViewableImpression: Handler<(typeof adsOperations)["ads.recordViewableImpression"]> = async (
  input,
  { ads },
) => {
  const { token, visible_ratio_basis_points, duration_milliseconds } = input.body;
  if (!ads.guesses.mayTry(input.source)) throw refusedUnjudged();
  try {
    const answer = await ads.impressions.recordViewableImpression(
      { token, visibleRatioBasisPoints: visible_ratio_basis_points, durationMilliseconds: duration_milliseconds },
      { ...input.call, retryUnavailable: true },
    );
    return {
      data: {
        recorded: answer.recorded,
        charged_minor: Number(answer.chargedMinor),
        destination_url: answer.destinationUrl === "" ? null : answer.destinationUrl,
        attribution_token: answer.attributionToken === "" ? null : answer.attributionToken,
      },
    };
  } catch (error) {
    if (isServiceError(error, "decision_token_invalid")) ads.guesses.countFailure(input.source);
    throw error;
  }
};

function refusedUnjudged(): ServiceError {
  return new ServiceError(
    "decision_token_invalid",
    "Too many invalid ad decision tokens came from this address; a valid one can be reported again in a minute.",
  );
}
