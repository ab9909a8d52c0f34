import { deadlineExceeded } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";
import type { VerifyCampaignLedgerRequest } from "@platform/proto/ads/v1/ads_admin";
import { auditLedger } from "../../ledger/audit-ledger.ts";
import type { AdsDependencies } from "../dependencies.ts";
import { requireStoredCampaign } from "./campaign-message.ts";

export function verifyCampaignLedger(dependencies: AdsDependencies) {
  return async (request: VerifyCampaignLedgerRequest, call: ServerCall) => {
    const campaign = await requireStoredCampaign(dependencies, request.campaignId);
    const audit = await auditLedger(dependencies.store.impressions, campaign, 0, call.signal);
    if (call.signal.aborted) throw deadlineExceeded();
    return {
      valid: audit.fault === null,
      impressions: BigInt(audit.impressions),
      chargedMinor: audit.chargedMinor,
      faultOrdinal: BigInt(audit.fault?.ordinal ?? 0),
      reason: audit.fault?.reason ?? "",
    };
  };
}
