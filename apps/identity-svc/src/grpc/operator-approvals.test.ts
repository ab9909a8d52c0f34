import type { ServerCall } from "@platform/kit/rpc/server";
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
const callTo = async (method: "requestApproval" | "useApproval", rpc: string, caller: string | null) =>
  implementation[method]?.({ rpc, askedBy: person, approvedBy: person } as never, { caller } as unknown as ServerCall);

test("lets a service ask for its own RPCs alone and use their approvals alone (a service that was broken into)", async () => {
  const ofAds = "projectintegration.ads.v1.DecisionAdminService/RotateSigningKey";
  const ofIdentity = "projectintegration.identity.v1.ErasureAdminService/EraseProjectClient";
  for (const method of ["requestApproval", "useApproval"] as const) {
    await expect(callTo(method, ofIdentity, "ads-svc")).rejects.toMatchObject({ code: "permission_denied" });
    await expect(callTo(method, ofAds, "files-svc")).rejects.toMatchObject({ code: "permission_denied" });
    await callTo(method, ofAds, "ads-svc");
    await callTo(method, ofIdentity, null);
  }
  expect(calls).toEqual([ofAds, ofIdentity, ofAds, ofIdentity]);
});

test("refuses an approval that names nobody", async () => {
  const nameless = implementation.useApproval?.(
    { rpc: "projectintegration.ads.v1.A/B" } as never,
    { caller: null } as never,
  );
  await expect(nameless).rejects.toMatchObject({ code: "contract_violation" });
});
