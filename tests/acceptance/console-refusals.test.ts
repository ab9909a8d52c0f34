import { eventually } from "@platform/test-kit/eventually";
import { beforeAll, expect, it } from "vitest";
import { readSection, signIn, type Visitor } from "./console-person.ts";
import { api, ctl, newClient } from "./stack.ts";

const waiting = { timeoutMs: 90_000, everyMs: 1_000 };
let viewer: Visitor;
beforeAll(async () => {
  viewer = await signIn("viewer");
});

const sectionOf = (path: string, heading: string): Promise<string> => readSection(viewer, path, heading);

it("shows rejected impressions of a campaign by reason and by day, or that there were none", async () => {
  const { id } = await ctl([
    "campaigns", "create", "--name", "Refused", "--currency", "JPY", "--cpm-minor", "1000", "--budget-minor", "0",
    "--destination-url", "https://example.com/",
  ]); // biome-ignore format: one command
  expect(await sectionOf(`/campaigns/${id}`, "Rejected or uncharged impressions")).toContain(
    "was accepted and charged",
  );
  const { token } = await ctl(["ads", "decide", "--campaign", id, "--format", "display"]);
  const report = (visible: number) =>
    api("POST", "/advertising/viewable-impressions", {
      body: { token, visible_ratio_basis_points: visible, duration_milliseconds: 1_500 },
      credential: null,
    });
  expect((await report(100)).status).toBe(422);
  expect((await report(200)).status).toBe(422);
  expect((await report(9_000)).status).toBe(200);
  const part = await eventually(
    async () => {
      const shown = await sectionOf(`/campaigns/${id}`, "Rejected or uncharged impressions");
      return /below threshold<\/td><td[^>]*>2/.test(shown) ? shown : null;
    },
    { ...waiting, what: "the refusals are shown" },
  );
  expect(part).toMatch(/budget exhausted<\/td><td[^>]*>1/);
  for (const text of ["<svg", "below threshold (impressions)", "day (UTC)"]) expect(part).toContain(text);
});

it("shows a client's refused requests by reason, day and hour, and not those of callers without a credential", async () => {
  const { id, credential } = await newClient({ scopes: ["events:write"] });
  const page = `/clients/${id}`;
  expect(await sectionOf(page, "Rejected requests")).toContain("No request of this project was rejected");
  await ctl(["quotas", "set", "--client", id, "--resource", "events", "--limit", "1"]);
  const event = { type: "order.placed", schema_version: 1, data: {} };
  const publish = async (body: object, presented = credential) =>
    (await api("POST", "/domain-events", { credential: presented, body })).status;
  expect(await publish(event)).toBeLessThan(300);
  expect([await publish(event), await publish(event)]).toEqual([429, 429]);
  expect(await publish({ ...event, type: "" })).toBe(422);
  expect((await api("GET", "/project-client", { credential })).status).toBe(403);
  expect(await publish(event, `${credential.slice(0, -4)}0000`)).toBe(401);
  const part = await eventually(
    async () => {
      const shown = await sectionOf(page, "Rejected requests");
      return /quota<\/td><td[^>]*>2/.test(shown) && /validation<\/td><td[^>]*>1/.test(shown) ? shown : null;
    },
    { ...waiting, what: "the refusals are shown" },
  );
  expect(part).toMatch(/access<\/td><td[^>]*>1/);
  for (const text of ["<svg", "quota (requests)", "day (UTC)", "hour (UTC)"]) expect(part).toContain(text);
  // These requests use no quota.
  expect(await sectionOf(page, "Quotas")).not.toContain("refused");
});
