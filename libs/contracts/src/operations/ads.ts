import { z } from "zod";
import { integer, uri } from "../formats.ts";
import { noAuth, type OperationFamily } from "../operation.ts";
import { text } from "../text.ts";

export const RecordViewableImpressionBody = z.strictObject({
  token: text({ max: 4096 }).describe("The signed ad decision token."),
  visible_ratio_basis_points: integer(0, 10_000).describe(
    "Least share of the ad's pixels that was in view throughout, in hundredths of a percent: 5000 is half.",
  ),
  duration_milliseconds: integer(0, 3_600_000).describe("Longest uninterrupted time in view at that share."),
});

export const ViewableImpressionResult = z
  .object({
    data: z
      .object({
        recorded: z.boolean().describe("False when this token was recorded before."),
        charged_minor: integer(0).describe("Amount charged, in minor currency units."),
        destination_url: uri(2048)
          .nullable()
          .describe("Where a click on the ad leads; null where the campaign has none."),
        attribution_token: z
          .string()
          .nullish()
          .describe("Names the impression to whoever attributes clicks; null without."),
      })
      .meta({ id: "ViewableImpressionResult", description: "What became of a reported impression." }),
  })
  .meta({ id: "ViewableImpressionResponse" });

export const adsOperations = {
  "ads.recordViewableImpression": {
    method: "POST",
    path: "/advertising/viewable-impressions",
    summary: "Record a verified Viewable Impression",
    description: "Repeats are told by the signed token and charged once.",
    upstream: "ads",
    transport: "call",
    auth: noAuth,
    correlationIdDeclared: true,
    idempotency: null,
    quota: null,
    params: null,
    body: RecordViewableImpressionBody,
    status: 200,
    response: ViewableImpressionResult,
    errors: ["decision_token_invalid", "decision_token_expired", "viewability_not_met"],
    cors: { sent: [], read: [] },
    served: true,
  },
} as const satisfies OperationFamily;
