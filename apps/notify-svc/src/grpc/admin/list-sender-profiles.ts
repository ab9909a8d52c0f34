import type { ServerCall } from "@platform/kit/rpc/server";
import type { ListSenderProfilesRequest } from "@platform/proto/notify/v1/notify_admin";
import type { RpcDeps } from "../rpc-deps.ts";
import { requireClientId } from "./require-client-id.ts";
import { encodeSenderProfile } from "./sender-profiles.ts";

/** Lists a client's sender profiles, without their configuration. */
export const listSenderProfiles =
  ({ stores }: RpcDeps) =>
  async (request: ListSenderProfilesRequest, _call: ServerCall) => {
    const profiles = await stores.senderProfiles.list(requireClientId(request.projectClientId));
    return { senderProfiles: profiles.map(encodeSenderProfile) };
  };
