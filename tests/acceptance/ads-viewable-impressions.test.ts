import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { acceptanceStack, api, ctl } from "./stack.ts";

const path = "/advertising/viewable-impressions";
const destination = "https://advertiser.example/landing?from=ad";
const viewed = { visible_ratio_basis_points: 10_000, duration_milliseconds: 2_000 };

async function createCampaign(cpmMinor: number, budgetMinor: number): Promise<string> {
  const created = await ctl([
    "campaigns", "create", "--name", `Campaign ${randomUUID().slice(0, 8)}`, "--currency", "JPY", "--cpm-minor", `${cpmMinor}`,
    "--budget-minor", `${budgetMinor}`, "--destination-url", destination, "--client", acceptanceStack.projectClientId,
  ]); // biome-ignore format: one command
  return created.id;
}

async function decide(campaignId: string, ...options: string[]): Promise<string> {
  return (await ctl(["ads", "decide", "--campaign", campaignId, ...options])).token;
}

async function decideMany(campaignId: string, count: number): Promise<string[]> {
  return (await ctl(["ads", "decide", "--campaign", campaignId, "--count", `${count}`])).tokens;
}

/** Reports an impression as a browser does: without credential and idempotency key. */
const report = (token: string, seen: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  api("POST", path, { body: { token, ...viewed, ...seen }, credential: null, idempotencyKey: null, headers });

describe("POST /advertising/viewable-impressions", () => {
  test("records and charges an impression, returns the destination, and does not charge a repeat", async () => {
    const campaignId = await createCampaign(3_000, 100);
    const token = await decide(campaignId);
    const first = await report(token);
    expect(first.status).toBe(200);
    expect(first.json).toEqual({
      data: {
        recorded: true,
        charged_minor: 3,
        destination_url: destination,
        attribution_token: expect.stringMatching(/^attr_[0-9a-f]{32}_[0-9a-f]{64}$/),
      },
    });
    const again = await report(token);
    expect(again.status).toBe(200);
    expect(again.json.data).toEqual({ ...first.json.data, recorded: false, charged_minor: 0 });
    const named = await ctl(["ads", "attribution", "--token", first.json.data.attribution_token]);
    expect(named).toMatchObject({ campaign_id: campaignId, placement: "default", format: "display" });
  });

  test("charges 137 parallel impressions at a CPM of 250 exactly 34", async () => {
    const campaignId = await createCampaign(250, 1_000);
    const replies = await Promise.all((await decideMany(campaignId, 137)).map((token) => report(token)));
    expect(replies.every(({ status, json }) => status === 200 && json.data.recorded)).toBe(true);
    expect(replies.reduce((sum, { json }) => sum + json.data.charged_minor, 0)).toBe(34);
    const shown = await ctl(["campaigns", "show", "--campaign", campaignId]);
    expect(shown).toMatchObject({ status: "active", impressions: 137, charged_minor: 34, remaining_minor: 966 });
    expect(await ctl(["campaigns", "verify", "--campaign", campaignId])).toEqual({
      valid: true,
      impressions: 137,
      charged_minor: 34,
    });
  });

  test("records beyond the budget, charges nothing and marks the campaign exhausted", async () => {
    const campaignId = await createCampaign(1_500, 2);
    const charged: number[] = [];
    for (const token of await decideMany(campaignId, 3)) charged.push((await report(token)).json.data.charged_minor);
    expect(charged).toEqual([1, 0, 0]);
    const shown = await ctl(["campaigns", "show", "--campaign", campaignId]);
    expect(shown).toMatchObject({ status: "exhausted", impressions: 3, charged_minor: 1 });
    expect(shown.exhausted_at).not.toBeNull();
  });

  test("reads the format from the token, and keeps the token usable when the ad was not viewable", async () => {
    const campaignId = await createCampaign(1_000, 100);
    const token = await decide(campaignId, "--format", "display_large");
    for (const seen of [
      { visible_ratio_basis_points: 2_999, duration_milliseconds: 1_000 },
      { visible_ratio_basis_points: 3_000, duration_milliseconds: 999 },
      { visible_ratio_basis_points: 10_000, duration_milliseconds: 3_600_000 },
    ]) {
      const refused = await report(token, seen);
      expect(refused.status).toBe(422);
      expect(refused.json.error).toMatchObject({ code: "viewability_not_met", retryable: false });
    }
    const seen = { visible_ratio_basis_points: 3_000, duration_milliseconds: 1_000 };
    expect((await report(token, seen)).json.data).toMatchObject({ recorded: true, charged_minor: 1 });
  });

  test("refuses an altered token and an invalid one with the same message", async () => {
    const [header = "", claims = "", signature = ""] = (await decide(await createCampaign(1_000, 10))).split(".");
    const other = { ...JSON.parse(Buffer.from(claims, "base64url").toString()), campaign: randomUUID() };
    const altered = `${header}.${Buffer.from(JSON.stringify(other)).toString("base64url")}.${signature}`;
    const replies = await Promise.all([report(altered), report("not-a-token")]);
    for (const { status, json } of replies) {
      expect(status).toBe(422);
      expect(json.error.code).toBe("decision_token_invalid");
    }
    expect(replies[0]?.json.error.message).toBe(replies[1]?.json.error.message);
  });

  test("records every valid token, or returns 503 with Retry-After, while the same address guesses tokens", async () => {
    const tokens = await decideMany(await createCampaign(1_000, 10), 40);
    const [header = "", claims = ""] = (tokens[0] ?? "").split(".");
    const guess = () => report(`${header}.${claims}.${randomBytes(64).toString("base64url")}`);
    const guesses = Promise.all(
      Array.from({ length: 64 }, async () => {
        for (let count = 0; count < 8; count += 1) expect((await guess()).status).not.toBe(200);
      }),
    );
    const submit = async (token: string): Promise<void> => {
      for (;;) {
        const { status, json, headers } = await report(token);
        if (status === 200) return expect(json.data.recorded).toBe(true);
        expect([status, json.error.code]).toEqual([503, "dependency_unavailable"]);
        const waitSeconds = Number(headers.get("retry-after"));
        expect(waitSeconds).toBeGreaterThan(0);
        await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1_000));
      }
    };
    for (const token of tokens) await submit(token);
    await guesses;
  });

  test("refuses an expired token", async () => {
    const token = await decide(await createCampaign(1_000, 10), "--expires-in", "1");
    await expect
      .poll(async () => (await report(token, { duration_milliseconds: 0 })).json.error.code, { timeout: 10_000 })
      .toBe("decision_token_expired");
  });

  test("names every violation of the contract in one response", async () => {
    const body = { token: "x".repeat(4_097), visible_ratio_basis_points: 10_001, duration_milliseconds: -1, extra: 1 };
    const reply = await api("POST", path, { body, credential: null, idempotencyKey: null });
    expect(reply.status).toBe(422);
    expect(reply.json.error.code).toBe("contract_violation");
    expect(reply.json.error.details.violations.map((violation: { path: string }) => violation.path).sort()).toEqual([
      "/duration_milliseconds",
      "/extra",
      "/token",
      "/visible_ratio_basis_points",
    ]);
  });

  test("accepts browsers of any origin, and refuses a text/plain beacon", async () => {
    const origin = { origin: "https://publisher.example" };
    const preflight = await api("OPTIONS", path, {
      credential: null,
      idempotencyKey: null,
      headers: { ...origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
    expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("content-type");
    const token = await decide(await createCampaign(1_000, 10));
    const answered = await report(token, {}, origin);
    expect(answered.headers.get("access-control-allow-origin")).toBe("*");
    expect(answered.headers.get("access-control-allow-credentials")).toBeNull();
    const beacon = await report(token, {}, { ...origin, "content-type": "text/plain;charset=UTF-8" });
    expect(beacon.status).toBe(415);
    expect(beacon.headers.get("access-control-allow-origin")).toBe("*");
  });
});

describe("platformctl ads keys", () => {
  test("keeps earlier tokens valid after a rotation, and lists no private half", async () => {
    const campaignId = await createCampaign(1_000, 10);
    const before = await decide(campaignId);
    const rotated = await ctl(["ads", "keys", "rotate"]);
    expect(rotated).toMatchObject({ status: "active", public_jwk: { kty: "OKP", crv: "Ed25519" } });
    const listed: { kid: string; public_jwk: object }[] = await ctl(["ads", "keys", "list"]);
    expect(listed.some(({ kid }) => kid === rotated.kid)).toBe(true);
    expect(listed.every(({ public_jwk }) => !("d" in public_jwk))).toBe(true);
    expect((await report(before)).json.data.recorded).toBe(true);
    expect((await report(await decide(campaignId))).json.data.recorded).toBe(true);
  });

  test("refuses wrong input with a message and exit code 1", async () => {
    await expect(ctl(["ads", "decide", "--campaign", randomUUID()])).rejects.toThrow(/no campaign has this id/);
    const campaignId = await createCampaign(1_000, 10);
    await expect(ctl(["ads", "decide", "--campaign", campaignId, "--format", "popup"])).rejects.toThrow(/display/);
    await expect(ctl(["ads", "decide", "--campaign", campaignId, "--count", "0"])).rejects.toThrow(/1 to 100000/);
    await expect(
      ctl(["campaigns", "create", "--name", "x", "--currency", "jpy", "--cpm-minor", "1", "--budget-minor", "1", "--destination-url", "javascript:alert(1)"]),
    ).rejects.toThrow(/three capital letters/); // biome-ignore format: one command
  });
});
