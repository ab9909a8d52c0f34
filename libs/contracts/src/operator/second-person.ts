import type { DescMethodUnary } from "@bufbuild/protobuf";
import { DecisionAdminService } from "@platform/proto/ads/v1/ads_admin";
import { ErasureAdminService } from "@platform/proto/identity/v1/erasure_admin";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";

/** The acts that can be made to wait for a second person. A test compares them with the option `second_person` in the proto files. */
export const secondPersonActs: readonly DescMethodUnary[] = [
  ProjectClientAdminService.method.disableProjectClient,
  ErasureAdminService.method.eraseProjectClient,
  DecisionAdminService.method.rotateSigningKey,
  DecisionAdminService.method.revokeSigningKey,
];

/**
 * The act of an approval.
 * @param rpc its full name, as the approval has it
 * @returns undefined for any other RPC, so that an approval cannot make the person who approves it call what never waits
 */
export const secondPersonAct = (rpc: string): DescMethodUnary | undefined =>
  secondPersonActs.find(({ parent, name }) => `${parent.typeName}/${name}` === rpc);
