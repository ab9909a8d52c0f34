import { create } from "@bufbuild/protobuf";
import type { ServerCall } from "@platform/kit/rpc/server";
import { RequestApprovalRequestSchema, UseApprovalRequestSchema } from "@platform/proto/identity/v1/approval";
import { onlyWith } from "@platform/test-kit/only-with";
import { expect, test } from "vitest";
import { approvalService } from "./operator-approvals.ts";

const calls: string[] = [];
const { implementation } = approvalService({
  request: async ({ rpc }) => {
    calls.push(rpc);
    return "";
  },
  use: async ({ rpc }) => {
    calls.push(rpc);
    return "ann";
  },
});
const person = { subject: "ann", name: "Ann", isRoot: false };
const callOf = (caller: string | null) => onlyWith<ServerCall>({ caller });
const callTo = {
  requestApproval: async (rpc: string, caller: string | null) =>
    implementation.requestApproval(create(RequestApprovalRequestSchema, { rpc, askedBy: person }), callOf(caller)),
  useApproval: async (rpc: string, caller: string | null) =>
    implementation.useApproval(create(UseApprovalRequestSchema, { rpc, approvedBy: person }), callOf(caller)),
};

test("lets a service request and use approvals only for its own RPCs (compromised service)", async () => {
  const ofAds = "projectintegration.ads.v1.DecisionAdminService/RotateSigningKey";
  const ofIdentity = "projectintegration.identity.v1.ErasureAdminService/EraseProjectClient";
  for (const method of ["requestApproval", "useApproval"] as const) {
    await expect(callTo[method](ofIdentity, "ads-svc")).rejects.toMatchObject({ code: "permission_denied" });
    await expect(callTo[method](ofAds, "files-svc")).rejects.toMatchObject({ code: "permission_denied" });
    await callTo[method](ofAds, "ads-svc");
    await callTo[method](ofIdentity, null);
  }
  expect(calls).toEqual([ofAds, ofIdentity, ofAds, ofIdentity]);
});

test("refuses an approval that does not name a person", async () => {
  const nameless = implementation.useApproval(
    create(UseApprovalRequestSchema, { rpc: "projectintegration.ads.v1.A/B" }),
    callOf(null),
  );
  await expect(nameless).rejects.toMatchObject({ code: "contract_violation" });
});
