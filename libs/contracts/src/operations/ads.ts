import { z } from "zod";
import { integer, uri } from "../formats.ts";
import { noAuth, type OperationFamily } from "../operation.ts";
import { text } from "../text.ts";

export const RecordViewableImpressionBody = z.strictObject({
  token: text({ max: 4096 }).describe("The signed ad decision token."),
  visible_ratio_basis_points: integer(0, 10_000).describe(
    "Smallest share of the ad's pixels that was in view during this time, in hundredths of a percent: 5000 is half.",
  ),
  duration_milliseconds: integer(0, 3_600_000).describe(
    "Longest uninterrupted time for which at least that share was in view.",
  ),
});

export const ViewableImpressionResult = z
  .object({
    data: z
      .object({
        recorded: z.boolean().describe("False if this token was recorded earlier."),
        charged_minor: integer(0).describe("Amount charged, in minor currency units."),
        destination_url: uri(2048)
          .nullable()
          .describe("Address that a click on the ad opens. Null if the campaign has none."),
        attribution_token: z
          .string()
          .nullish()
          .describe("Token that identifies the impression when you attribute clicks. Null if there is none."),
      })
      .meta({ id: "ViewableImpressionResult", description: "Result of reporting an impression." }),
  })
  .meta({ id: "ViewableImpressionResponse" });

export const adsOperations = {
  "ads.recordViewableImpression": {
    method: "POST",
    path: "/advertising/viewable-impressions",
    summary: "Record a verified Viewable Impression",
    description: "The signed token identifies repeated reports: an impression is recorded and charged once.",
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
