import { create } from "@bufbuild/protobuf";
import type { ServerCall } from "@platform/kit/rpc/server";
import { AppendOperatorActionRequestSchema } from "@platform/proto/events/v1/operator_chain";
import { onlyWith } from "@platform/test-kit/only-with";
import { expect, test } from "vitest";
import type { AuditAppender } from "../store/append-project-audit.ts";
import { appendOperatorAction } from "./append-operator-action.ts";

/**
 * Calls the RPC that appends an action, with a service's certificate. Returns the records that were appended to the
 * chain.
 */
async function appendAs(caller: string, rpc: string): Promise<string[]> {
  const appended: string[] = [];
  const append: AuditAppender["append"] = async (_chain, { action }) => {
    appended.push(action);
    return { id: "appended", replayed: false };
  };
  const request = create(AppendOperatorActionRequestSchema, {
    actionId: "01990000-0000-7000-8000-000000000000",
    who: "ann",
    rpc,
    outcome: "succeeded",
    digest: "d".repeat(64),
  });
  await appendOperatorAction({ append })(request, onlyWith<ServerCall>({ caller, correlationId: "c" }));
  return appended;
}

test("refuses a service's entry about an RPC that another service serves", async () => {
  const rpc = "projectintegration.ads.v1.CampaignAdminService/CreateCampaign";
  await expect(appendAs("files-svc", rpc)).rejects.toMatchObject({ code: "unauthenticated" });
  expect(await appendAs("ads-svc", rpc)).toEqual([rpc]);
});

test("accepts a service's entry about an RPC that every service serves", async () => {
  const rpc = "projectintegration.operator.v1.RetentionAdminService/SetRetention";
  expect(await appendAs("files-svc", rpc)).toEqual([rpc]);
});
