import type { DescMethodUnary } from "@bufbuild/protobuf";
import { DecisionAdminService } from "@platform/proto/ads/v1/ads_admin";
import { ErasureAdminService } from "@platform/proto/identity/v1/erasure_admin";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";

/**
 * The RPCs that can require the approval of a second person. A test compares them with the option `second_person` in
 * the proto files.
 */
export const secondPersonActs: readonly DescMethodUnary[] = [
  ProjectClientAdminService.method.disableProjectClient,
  ErasureAdminService.method.eraseProjectClient,
  DecisionAdminService.method.rotateSigningKey,
  DecisionAdminService.method.revokeSigningKey,
];

/**
 * Returns the method of an approved action.
 * @param rpc full name of the RPC in the approval
 * @returns undefined for any RPC that never requires approval, so that an approval cannot be used to make the approving
 * person call it
 */
export const secondPersonAct = (rpc: string): DescMethodUnary | undefined =>
  secondPersonActs.find(({ parent, name }) => `${parent.typeName}/${name}` === rpc);
