import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { defaultMode } from "../../domain/capture.ts";
import type { SenderProfile } from "../../domain/sender-profile.ts";
import type { Stores } from "../../store/stores.ts";

/** Encodes profiles of one client as operators see them. */
export async function encodeSenderProfiles(
  { senderProfiles, endpoints }: Pick<Stores, "senderProfiles" | "endpoints">,
  profiles: readonly SenderProfile[],
) {
  const [first] = profiles;
  if (first === undefined) return [];
  const [modes, environment] = await Promise.all([
    senderProfiles.readModes(profiles.map(({ id }) => id)),
    endpoints.environmentOf(first.projectClientId),
  ]);
  // The environment is taken from the client's endpoints. A client without endpoints cannot send anything, so its
  // environment does not matter.
  const otherwise = environment === "" ? "" : defaultMode(environment);
  return profiles.map((profile) => ({
    id: profile.id,
    projectClientId: profile.projectClientId,
    channel: profile.channel,
    name: profile.name,
    defaultLocale: profile.defaultLocale ?? "",
    verification: profile.verification,
    status: profile.status,
    mode: modes.get(profile.id) ?? otherwise,
    revision: profile.revision,
    createdAt: timestampFromDate(profile.createdAt),
    ...optionalTimestamp("updatedAt", profile.updatedAt),
    ...optionalTimestamp("previousUntil", profile.previousUntil),
  }));
}
