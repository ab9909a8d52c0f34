import { generateKeyPairSync } from "node:crypto";
import { defined } from "@platform/kit/process/fields";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  addressOf,
  callOf,
  configOf,
  finished,
  type NotifyStack,
  prepareClient,
  send,
  startNotifyStack,
  verifiedEndpoint,
} from "./notify-stack.ts";

const hourMs = 3_600_000;
let stack: NotifyStack;
beforeAll(async () => {
  stack = await startNotifyStack();
  await stack.startWorker();
});
afterAll(() => stack.close());

const show = async (senderProfileId: string) =>
  (await stack.profileAdmin.showSenderProfile({ senderProfileId }, callOf(""))).senderProfile;

const update = (senderProfileId: string, config: object, overlapSeconds?: number) =>
  stack.profileAdmin.updateSenderProfile(
    {
      senderProfileId,
      configJson: JSON.stringify(config),
      ...defined({ overlapSeconds }),
    },
    callOf(""),
  );

const lineToken = (token: string) => ({ channel_access_token: token });
const authorizations = async (address: string) =>
  (await stack.sink.messages({ channel: "line", to: address })).map(({ headers }) => headers.authorization);

describe("a partial change of a configuration", () => {
  const change = (senderProfileId: string, changes: string, configJson = "") =>
    stack.profileAdmin.updateSenderProfile(
      { senderProfileId, changesJson: changes, configJson, overlapSeconds: 0 },
      callOf(""),
    );

  it("sends with the new secret, and keeps the rest of the configuration", async () => {
    const { clientId, profileId } = await prepareClient(stack, "line");
    await update(profileId, { ...lineToken("first"), default_locale: "ja" }, 0);
    await change(profileId, JSON.stringify(lineToken("changed-token")));
    expect(await show(profileId)).toMatchObject({ defaultLocale: "ja" });
    const { endpointId, address } = await verifiedEndpoint(stack, "line", clientId);
    await eventually(async () => {
      await finished(stack, clientId, await send(stack, "line", { clientId, profileId, endpointId }));
      return (await authorizations(address)).includes("Bearer changed-token");
    });
  });

  it.each([
    ["text that is not JSON", "{", ""],
    ["a list", "[]", ""],
    ["a configuration that its channel does not have", '{"password":"x"}', ""],
    ["a complete configuration and a partial change at the same time", "{}", "{}"],
    ["empty", "", ""],
  ])("refuses a change that is %s", async (_what, changes, config) => {
    const { profileId } = await prepareClient(stack, "line");
    await expect(change(profileId, changes, config)).rejects.toMatchObject({ code: "contract_violation" });
  });
});

describe("a replaced configuration", () => {
  it("uses a replaced configuration under the same id, also in running workers", async () => {
    const { clientId, profileId } = await prepareClient(stack, "line");
    const { endpointId, address } = await verifiedEndpoint(stack, "line", clientId);
    const ids = { clientId, profileId, endpointId };
    await finished(stack, clientId, await send(stack, "line", ids));
    await update(profileId, lineToken("second-token"), 0);
    await eventually(async () => {
      await finished(stack, clientId, await send(stack, "line", ids));
      return (await authorizations(address)).at(-1) === "Bearer second-token";
    });
    expect((await authorizations(address))[0]).toBe("Bearer line-token");
    expect(await show(profileId)).toMatchObject({ id: profileId, channel: "line", status: "active" });
  });

  it("uses the old secret if the provider refuses the new one, until the overlap ends", async () => {
    const { clientId, profileId } = await prepareClient(stack, "line");
    const { endpointId, address } = await verifiedEndpoint(stack, "line", clientId);
    const ids = { clientId, profileId, endpointId };
    await update(profileId, lineToken("unready-token"), 3_600);
    // The worker has not decrypted this profile yet, so its first message uses the new secret.
    stack.sink.setFault({ channel: "line", to: address, status: 401, times: 1 });
    expect(await finished(stack, clientId, await send(stack, "line", ids))).toMatchObject({
      status: "sent",
      attempts: 1,
    });
    expect(await authorizations(address)).toEqual(["Bearer unready-token", "Bearer line-token"]);
    stack.advance(2 * hourMs);
    stack.sink.setFault({ channel: "line", to: address, status: 401, times: 1 });
    expect(await finished(stack, clientId, await send(stack, "line", ids))).toMatchObject({
      status: "failed",
      lastErrorCode: "line_401",
    });
  });

  it("keeps a client's other profiles, and refuses a configuration of another channel", async () => {
    const { profileId } = await prepareClient(stack, "line");
    await expect(update(profileId, configOf("fcm"))).rejects.toMatchObject({ code: "contract_violation" });
    await expect(update(profileId, lineToken("x"), 31 * 86_400)).rejects.toMatchObject({ code: "contract_violation" });
    await expect(update("00000000-0000-7000-8000-000000000000", lineToken("x"))).rejects.toMatchObject({
      code: "sender_profile_not_found",
    });
    expect((await show(profileId))?.updatedAt).toBeUndefined();
  });

  it("applies only one of two concurrent updates of the same revision", async () => {
    const { profileId } = await prepareClient(stack, "line");
    const answers = await Promise.allSettled(["a", "b", "c"].map((token) => update(profileId, lineToken(token))));
    const done = answers.filter(({ status }) => status === "fulfilled").length;
    expect(done).toBeGreaterThanOrEqual(1);
    for (const answer of answers) {
      if (answer.status === "rejected") expect(answer.reason).toMatchObject({ code: "revision_conflict" });
    }
  });

  it.each([
    ["before", 1],
    ["after", 3],
  ])("keeps the current configuration if the update names the revision %s the current one", async (_name, revision) => {
    const { profileId } = await prepareClient(stack, "line");
    const request = { senderProfileId: profileId, configJson: JSON.stringify(lineToken("second")) };
    await stack.profileAdmin.updateSenderProfile({ ...request, revision: 1 }, callOf(""));
    const present = await show(profileId);
    await expect(stack.profileAdmin.updateSenderProfile({ ...request, revision }, callOf(""))).rejects.toMatchObject({
      code: "revision_conflict",
      details: { revision: 2 },
    });
    expect(await show(profileId)).toEqual(present);
    expect(present).toMatchObject({ revision: 2 });
  });
});

describe("a disabled profile", () => {
  const setStatus = (senderProfileId: string, to: "disable" | "enable") =>
    stack.profileAdmin[`${to}SenderProfile`]({ senderProfileId }, callOf(""));

  /** Sends messages until one is not sent, which shows that the worker knows of the change. */
  const untilHeld = (ids: { clientId: string; profileId: string; endpointId: string }, address: string) =>
    eventually(async () => {
      const before = (await stack.sink.messages({ channel: "line", to: address })).length;
      const id = await send(stack, "line", ids);
      const arrived = await stack.sink.messages({ channel: "line", to: address, count: before + 1, waitMs: 300 });
      return arrived.length === before ? id : null;
    });

  it("accepts intents for a disabled profile, holds them back, and sends them once it is enabled", async () => {
    const { clientId, profileId } = await prepareClient(stack, "line");
    const { endpointId, address } = await verifiedEndpoint(stack, "line", clientId);
    await setStatus(profileId, "disable");
    expect((await show(profileId))?.status).toBe("disabled");
    const held = await untilHeld({ clientId, profileId, endpointId }, address);
    await setStatus(profileId, "enable");
    expect(await finished(stack, clientId, held)).toMatchObject({ status: "sent", attempts: 1 });
  });

  it("fails deliveries with sender_profile_disabled after 24 hours", async () => {
    const { clientId, profileId } = await prepareClient(stack, "line");
    const { endpointId, address } = await verifiedEndpoint(stack, "line", clientId);
    await setStatus(profileId, "disable");
    const held = await untilHeld({ clientId, profileId, endpointId }, address);
    stack.advance(24 * hourMs + 1_000);
    expect(await finished(stack, clientId, held)).toMatchObject({
      status: "failed",
      attempts: 0,
      lastErrorCode: "sender_profile_disabled",
    });
  });
});

describe("a test message", () => {
  const test = (senderProfileId: string, to: string) =>
    stack.profileAdmin.testSenderProfile({ senderProfileId, to }, callOf(""));

  it("sends a test message through a worker and returns the provider's response", async () => {
    const { profileId } = await prepareClient(stack, "email");
    const to = addressOf(stack, "email");
    expect(await test(profileId, to)).toMatchObject({ accepted: true, detail: "accepted" });
    expect(await stack.sink.messages({ channel: "email", to })).toHaveLength(1);
    const refused = addressOf(stack, "email");
    stack.sink.setFault({ channel: "email", to: refused, status: 550, times: 1 });
    expect(await test(profileId, refused)).toMatchObject({ accepted: false, detail: "smtp_550" });
  });

  it("reports that a new key is wrong when a test message is sent", async () => {
    const { profileId } = await prepareClient(stack, "apns");
    const { privateKey } = generateKeyPairSync("ec", {
      namedCurve: "P-256",
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    await update(profileId, { ...configOf("apns"), key_id: "KEYNEW0001", private_key: privateKey });
    const to = addressOf(stack, "apns");
    stack.sink.setFault({ channel: "apns", to, status: 403, body: '{"reason":"InvalidProviderToken"}', times: 2 });
    expect(await test(profileId, to)).toMatchObject({ accepted: false, detail: "apns_invalid_provider_token" });
  });
});
