import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import type { RevokeSigningKeyRequest, SigningKeySchema } from "@platform/proto/ads/v1/ads_admin";
import type { SigningKeyInfo } from "../../tokens/signing-key-ring.ts";
import type { AdsDependencies } from "../dependencies.ts";
import { contractViolation } from "./campaign-message.ts";

export function listSigningKeys({ keys }: AdsDependencies) {
  return async () => ({ keys: (await keys.list()).map(keyMessage) });
}

export function rotateSigningKey({ keys }: AdsDependencies) {
  return async () => ({ key: keyMessage(await keys.rotate()) });
}

export function revokeSigningKey({ keys }: AdsDependencies) {
  return async ({ kid }: RevokeSigningKeyRequest) => {
    const find = async (): Promise<SigningKeyInfo> => {
      const found = (await keys.list()).find((key) => key.kid === kid);
      if (found === undefined)
        throw contractViolation([{ path: "/kid", code: "not_found", message: "no key has this kid" }]);
      return found;
    };
    if ((await find()).status === "active") {
      throw contractViolation([
        { path: "/kid", code: "active", message: "the active key cannot be revoked: rotate first" },
      ]);
    }
    await keys.revoke(kid);
    return { key: keyMessage(await find()) };
  };
}

function keyMessage(key: SigningKeyInfo): MessageInitShape<typeof SigningKeySchema> {
  return {
    kid: key.kid,
    status: key.status,
    createdAt: timestampFromDate(key.createdAt),
    ...optionalTimestamp("verifiesUntil", key.verifiesUntil),
    publicJwkJson: key.publicJwkJson,
  };
}
