import { timestampDate } from "@bufbuild/protobuf/wkt";
import { DecisionAdminService, type SigningKey } from "@platform/proto/ads/v1/ads_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";

export function registerSigningKeyCommands(ads: Command, ctl: Ctl): void {
  const keys = ads.command("keys").description("Keys that decision tokens are signed with (Ed25519).");
  const service = () => ctl.connection("ads").service(DecisionAdminService);

  keys
    .command("list")
    .description("List the keys, newest first, with their public halves.")
    .action(async () => {
      const { keys: found } = await service().listSigningKeys({}, ctl.call());
      ctl.print(found.map(keyRow));
    });
  keys
    .command("rotate")
    .description("Sign with a new key from now on. Tokens signed before stay valid until they expire.")
    .action(async () => ctl.print(keyRow((await service().rotateSigningKey({}, ctl.call())).key)));
  keys
    .command("revoke")
    .description(
      "Refuse every token of a key within seconds; for a key that leaked. The active key must be rotated first.",
    )
    .requiredOption("--kid <kid>", "the key's id")
    .action(async (options: { kid: string }) => {
      ctl.print(keyRow((await service().revokeSigningKey({ kid: options.kid }, ctl.call())).key));
    });
}

function keyRow(key: SigningKey | undefined): object {
  if (key === undefined) throw new Error("ads-svc answered without a key");
  return {
    kid: key.kid,
    status: key.status,
    created_at: key.createdAt === undefined ? null : timestampDate(key.createdAt).toISOString(),
    verifies_until: key.verifiesUntil === undefined ? null : timestampDate(key.verifiesUntil).toISOString(),
    public_jwk: JSON.parse(key.publicJwkJson) as object,
  };
}
