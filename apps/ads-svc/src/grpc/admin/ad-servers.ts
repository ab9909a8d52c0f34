import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import type { Implementation } from "@platform/kit/rpc/server";
import { type Machine, machineOverlapSeconds } from "@platform/operator-plane/machines";
import type { AdServerAdminService, AdServerSchema } from "@platform/proto/ads/v1/ad_server_admin";
import type { AdsDependencies } from "../dependencies.ts";
import { contractViolation, requireCampaign } from "./campaign-message.ts";

const overlapSecondsMax = 90 * 24 * 60 * 60;
const nameLengthMax = 120;

/** The operator RPCs for the tokens of ad servers. */
export function adServerAdmin(dependencies: AdsDependencies): Implementation<typeof AdServerAdminService> {
  const { adServers } = dependencies.store;
  const { clock } = dependencies;
  return {
    issueAdServer: async ({ campaignId, name }) => {
      if ([...name].length > nameLengthMax) throw refusal("/name", `must have at most ${nameLengthMax} characters`);
      const campaign = await requireCampaign(dependencies, campaignId);
      const { machine, token } = await adServers.issue(campaign.id, name, clock());
      return { adServer: toMessage(machine), token };
    },
    listAdServers: async ({ campaignId, limit, cursor }) => {
      const page = await adServers.list(campaignId ?? null, { limit, cursor });
      return { adServers: page.items.map(toMessage), nextCursor: page.nextCursor };
    },
    rotateAdServer: async ({ adServerId, overlapSeconds }) => {
      const seconds = Number(overlapSeconds ?? BigInt(machineOverlapSeconds));
      if (seconds < 0 || seconds > overlapSecondsMax) {
        throw refusal("/overlap_seconds", `must be from 0 to ${overlapSecondsMax}`);
      }
      const now = clock();
      const rotated = await adServers.rotate(adServerId, new Date(now.getTime() + seconds * 1_000), now);
      if (rotated === null) throw refusal("/ad_server_id", "there is no such ad server, or it is revoked");
      return { adServer: toMessage(rotated.machine), token: rotated.token };
    },
    revokeAdServer: async ({ adServerId }) => {
      const revoked = await adServers.revoke(adServerId, clock());
      if (revoked === null) throw refusal("/ad_server_id", "there is no such ad server");
      return { adServer: toMessage(revoked) };
    },
  };
}

const refusal = (path: string, message: string) => contractViolation([{ path, code: "out_of_range", message }]);

function toMessage(machine: Machine): MessageInitShape<typeof AdServerSchema> {
  return {
    id: machine.id,
    campaignId: machine.bound_to,
    name: machine.name,
    createdAt: timestampFromDate(machine.created_at),
    ...optionalTimestamp("revokedAt", machine.revoked_at),
  };
}
