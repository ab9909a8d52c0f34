import { randomUUID } from "node:crypto";
import { exampleRequests } from "@platform/contracts/examples";
import { eventually } from "@platform/test-kit/eventually";
import { beforeAll, expect, test } from "vitest";
import { api, ctl } from "./stack.ts";
import { newProject, type Project } from "./walk/project.ts";

let project: Project;
beforeAll(async () => {
  project = await newProject();
  const changes = JSON.stringify({ bounce_domain: "bounces.shop.example" });
  await ctl([
    "sender-profiles", "update", "--profile", project.emailProfileId, "--changes", changes, "--reason", "test",
  ]); // biome-ignore format: one command
});

const post = async (path: string, body: unknown) =>
  (await api("POST", path, { credential: project.client.credential, body })).json.data;

/** Sends an email to a verified address whose local part begins with `prefix`. */
async function mail(prefix: string, more: object = {}) {
  const address = `${prefix}${randomUUID()}@people.example`;
  const endpoint = await post("/email-delivery-endpoints", { address });
  await post(`/email-delivery-endpoints/${endpoint.id}/verify`, { token: endpoint.verification_token });
  const intent = await post("/notification-intents", {
    ...exampleRequests["notify.createNotificationIntent"].body,
    sender_profile_id: project.emailProfileId,
    endpoint_id: endpoint.id,
    ...more,
  });
  const read = async () =>
    (await api("GET", `/notification-deliveries/${intent.delivery_id}`, { credential: project.client.credential })).json
      .data;
  return { endpointId: endpoint.id, address, read };
}

const suppressed = async (endpointId: string) => {
  const { items } = await ctl(["suppressions", "list", "--client", project.client.id]);
  return items.find((item: { endpoint_id: string }) => item.endpoint_id === endpointId);
};

test("fails the delivery of an email that bounces, suppresses its address, and lifts the suppression", async () => {
  const { endpointId, address, read } = await mail("bounce-");
  await eventually(async () => (await read()).last_error_code === "bounced");
  expect(await read()).toMatchObject({ status: "failed", last_error_code: "bounced" });
  const item = await suppressed(endpointId);
  expect(item).toEqual({
    endpoint_id: endpointId,
    address_hint: expect.any(String),
    reason: "bounced",
    since: expect.stringMatching(/Z$/),
  });
  expect(item.address_hint).not.toBe(address);
  expect(await ctl(["suppressions", "lift", "--endpoint", endpointId, "--reason", "test"])).toMatchObject({
    endpoint_id: endpointId,
    reason: "bounced",
  });
  expect(await suppressed(endpointId)).toBeUndefined();
  await expect(ctl(["suppressions", "lift", "--endpoint", endpointId, "--reason", "test"])).rejects.toThrow(
    "contract_violation",
  );
});

test("withdraws the consent of a person who complains", async () => {
  const { endpointId } = await mail("complaint-", { marketing_purpose: "news" });
  await eventually(async () => (await suppressed(endpointId))?.reason === "complained");
  const endpoint = await ctl(["endpoints", "show", "--endpoint", endpointId]);
  expect(endpoint).toMatchObject({ status: "verified", consents: [{ purpose: "news", granted: false }] });
});
