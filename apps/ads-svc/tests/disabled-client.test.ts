import { create, toBinary } from "@bufbuild/protobuf";
import { connectGrpc } from "@platform/kit/rpc/client";
import { RevokeSigningKeyRequestSchema, RotateSigningKeyRequestSchema } from "@platform/proto/ads/v1/ads_admin";
import { ApprovalService } from "@platform/proto/identity/v1/approval";
import { eventually } from "@platform/test-kit/eventually";
import { startTestIdentity } from "@platform/test-kit/identity";
import { startTestMongo } from "@platform/test-kit/mongo";
import { startTestRedis } from "@platform/test-kit/redis";
import { afterAll, expect, test } from "vitest";
import { adsCall, startAdsFixture } from "./ads-fixture.ts";

const mongo = await startTestMongo();
const redis = await startTestRedis();
const identity = await startTestIdentity(mongo, redis.url);
const fixture = await startAdsFixture({
  REDIS_URL: redis.url,
  IDENTITY_GRPC: identity.address,
  SECOND_PERSON: "on",
});
afterAll(async () => {
  await fixture.close();
  await identity.close();
  await redis.close();
  await mongo.close();
});

const outcomeOf = (token: string): Promise<string> =>
  fixture.ads.report(token).then(
    ({ recorded }) => (recorded ? "recorded" : "replayed"),
    ({ code }: { code: string }) => code,
  );

test("refuses decision tokens of a disabled Project Client within a second, and accepts them once it is enabled", async () => {
  const { ads } = fixture;
  const clientId = await identity.createClient();
  const terms = { cpmMinor: 1_000, budgetMinor: 1_000_000 };
  const own = await ads.createCampaign({ ...terms, projectClientId: clientId });
  const others = await ads.createCampaign(terms);
  const tokens = await ads.decide(own, 200);
  await identity.disableClient(clientId);
  let next = 0;
  await eventually(async () => (await outcomeOf(tokens[next++] ?? "")) === "decision_token_invalid", {
    timeoutMs: 3_000,
  });
  const { chargedMinor } = await ads.campaign(own);
  expect(await outcomeOf(tokens[next] ?? "")).toBe("decision_token_invalid");
  expect((await ads.campaign(own)).chargedMinor).toBe(chargedMinor);
  expect(await outcomeOf((await ads.decide(others, 1))[0] ?? "")).toBe("recorded");
  await identity.enableClient(clientId);
  await eventually(async () => (await outcomeOf(tokens[next] ?? "")) === "recorded", { timeoutMs: 3_000 });
});

test("refuses a disabled client's tokens at two replicas within ten seconds when Redis loses the announcement, and accepts them once it is enabled", async () => {
  const replica = await fixture.startReplica();
  const clientId = await identity.createClient();
  const campaign = await fixture.ads.createCampaign({
    cpmMinor: 1_000,
    budgetMinor: 1_000_000,
    projectClientId: clientId,
  });
  const tokens = await fixture.ads.decide(campaign, 400);
  const outcomes = async (): Promise<string[]> => {
    const reports = [fixture.ads, replica].map(({ report }) => report(tokens.pop() ?? ""));
    const settled = await Promise.allSettled(reports);
    return settled.map((one) => (one.status === "fulfilled" ? "recorded" : (one.reason as { code: string }).code));
  };
  // Each attempt uses two tokens. There are enough tokens for all attempts within ten seconds.
  const both = (outcome: string) =>
    eventually(async () => (await outcomes()).every((each) => each === outcome), {
      timeoutMs: 10_000,
      everyMs: 200,
      what: outcome,
    });
  await both("recorded");
  await redis.kill();
  await identity.disableClient(clientId);
  await both("decision_token_invalid");
  await redis.start();
  await identity.enableClient(clientId);
  await both("recorded");
  await replica.stop();
});

test("changes signing keys only after a second person has approved the change at identity-svc", async () => {
  const { decisions } = fixture.ads;
  const connection = connectGrpc({ address: identity.address, tls: null });
  const approvals = connection.service(ApprovalService);
  const approving = (id: string) => ({ ...adsCall(), metadata: { "x-operator-approval": id } });
  const codeOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => "ok",
      ({ code }: { code: string }) => code,
    );
  const keys = async () => (await decisions.listSigningKeys({}, adsCall())).keys;
  /** Requests an approval in the name of another person, as ads-svc would do for that person. */
  const askedByAnn = async (name: string, request: Uint8Array): Promise<string> => {
    const rpc = `projectintegration.ads.v1.DecisionAdminService/${name}`;
    const asked = { rpc, act: "ads keys", request, requestJson: "{}", askedBy: { subject: "ann", name: "Ann" } };
    return (await approvals.requestApproval(asked, adsCall())).approvalId;
  };
  const before = await keys();

  const waiting = await decisions.rotateSigningKey({}, adsCall()).catch((error: unknown) => error);
  expect(waiting).toMatchObject({ code: "second_person_required", details: { approval_id: expect.any(String) } });
  const own = (waiting as { details: { approval_id: string } }).details.approval_id;
  expect(await codeOf(decisions.rotateSigningKey({}, approving(own)))).toBe("permission_denied");
  expect(await keys()).toEqual(before);

  const rotation = toBinary(RotateSigningKeyRequestSchema, create(RotateSigningKeyRequestSchema));
  const byAnn = await askedByAnn("RotateSigningKey", rotation);
  expect(await codeOf(decisions.rotateSigningKey({}, approving(byAnn)))).toBe("ok");
  expect(await codeOf(decisions.rotateSigningKey({}, approving(byAnn)))).toBe("approval_decided");
  const after = await keys();
  expect(after).toHaveLength(before.length + 1);

  const [retired] = after.filter(({ status }) => status === "retired");
  const kid = retired?.kid ?? "";
  const request = toBinary(RevokeSigningKeyRequestSchema, create(RevokeSigningKeyRequestSchema, { kid }));
  const revocation = await askedByAnn("RevokeSigningKey", request);
  expect(await codeOf(decisions.revokeSigningKey({ kid: after[0]?.kid ?? "" }, approving(revocation)))).toBe(
    "approval_mismatch",
  );
  expect(await codeOf(decisions.revokeSigningKey({ kid }, approving(revocation)))).toBe("ok");
  connection.close();
});
