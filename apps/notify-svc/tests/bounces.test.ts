import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBouncesConfig } from "../src/config.ts";
import { createNotifyBounces } from "../src/create-notify-bounces.ts";
import { connectMailServer, reportTo } from "./bounce-mails.ts";
import {
  callOf,
  finished,
  type NotifyStack,
  prepareClient,
  send,
  startNotifyStack,
  verifiedEndpoint,
} from "./notify-stack.ts";

const bounce_domain = "bounces.shop.example";
const connectionsMax = 8;
let stack: NotifyStack;
let receiver: Awaited<ReturnType<typeof createNotifyBounces>>;
let mongo: MongoClient;
beforeAll(async () => {
  stack = await startNotifyStack({ env: { BOUNCE_SMTP_PORT: "0", BOUNCE_SMTP_CONNECTIONS: `${connectionsMax}` } });
  receiver = await createNotifyBounces(readBouncesConfig(stack.env), { logger: silentLogger() });
  await stack.startWorker();
  mongo = await MongoClient.connect(stack.mongo.uri);
});
afterAll(async () => {
  await mongo.close();
  await receiver.close();
  await stack.close();
});

/** Sends an email and returns its return path, its ids and its outcome. */
async function mail(more: { marketingPurpose?: string; profile?: Record<string, unknown>; address?: string } = {}) {
  const { clientId, profileId } = await prepareClient(stack, "email", more.profile ?? { bounce_domain });
  const { endpointId, address } = await verifiedEndpoint(stack, "email", clientId, more.address);
  const { marketingPurpose } = more;
  const ids = { clientId, profileId, endpointId };
  const deliveryId = await send(stack, "email", ids, defined({ marketingPurpose }));
  const delivery = await finished(stack, clientId, deliveryId);
  const [message] = await stack.sink.messages({ channel: "email", to: address });
  const { mail_from: returnPath } = message?.parsed.envelope ?? {};
  return { ...ids, deliveryId, delivery, returnPath: String(returnPath) };
}

/** Sends a report over a separate connection, as another mail server does. */
async function report(to: readonly string[], text: string) {
  const server = await connectMailServer(receiver.smtpPort);
  const reply = await server.send(to, text);
  server.close();
  return reply;
}

const shown = async (deliveryId: string) => (await stack.admin.showDelivery({ deliveryId }, callOf(newId()))).delivery;
const endpointOf = async (endpointId: string) => stack.endpointAdmin.getEndpoint({ endpointId }, callOf(newId()));
const suppressed = async (projectClientId: string) =>
  (await stack.suppressionAdmin.listSuppressions({ projectClientId }, callOf(projectClientId))).suppressions;

describe("the return path of an email", () => {
  it("gives each email its own return path if the profile has a bounce_domain, and otherwise uses the sender's address", async () => {
    const { returnPath, deliveryId } = await mail();
    expect(returnPath).toMatch(/^b-[0-9a-f]{32}-[0-9a-f]{24}@bounces\.shop\.example$/);
    expect(returnPath).toContain(deliveryId.replaceAll("-", ""));
    expect((await mail({ profile: {} })).returnPath).toBe("no-reply@shop.example");
  });
});

describe("a delivery report", () => {
  it("fails the delivery and revokes the endpoint when no such address exists", async () => {
    const { returnPath, deliveryId, endpointId, clientId, profileId } = await mail();
    expect(await report([returnPath], reportTo(returnPath, "postfix-no-such-user"))).toMatchObject({ code: 250 });
    expect(await finished(stack, clientId, deliveryId)).toMatchObject({ status: "failed", lastErrorCode: "bounced" });
    expect((await shown(deliveryId))?.attemptLog.at(-1)).toMatchObject({
      providerStatus: "bounced",
      errorCode: "bounced_5.1.1",
    });
    const { endpoint, history } = await endpointOf(endpointId);
    expect(endpoint).toMatchObject({ status: "revoked", lastErrorCode: "bounced" });
    expect(history.at(-1)).toMatchObject({ what: "revoked", by: "provider", detail: "bounced", deliveryId });
    await expect(send(stack, "email", { clientId, profileId, endpointId })).rejects.toMatchObject({
      code: "delivery_endpoint_revoked",
    });
    // A server that did not receive the reply reports again.
    expect(await report([returnPath], reportTo(returnPath, "postfix-no-such-user"))).toMatchObject({ code: 250 });
    expect((await shown(deliveryId))?.attemptLog).toHaveLength(2);
  });

  it("records a report and changes nothing else while the other server still retries", async () => {
    const { returnPath, deliveryId, endpointId } = await mail();
    expect(await report([returnPath], reportTo(returnPath, "postfix-delayed"))).toMatchObject({ code: 250 });
    expect(await shown(deliveryId)).toMatchObject({
      status: "sent",
      attemptLog: [{ providerStatus: "accepted" }, { providerStatus: "bounced", errorCode: "bounced_4.4.1" }],
    });
    expect((await endpointOf(endpointId)).endpoint?.status).toBe("verified");
  });

  it("fails the delivery, but keeps the endpoint, when the server rejected the sender", async () => {
    const { returnPath, deliveryId, endpointId, clientId } = await mail();
    await report([returnPath], reportTo(returnPath, "gmail-unauthenticated-sender"));
    expect(await finished(stack, clientId, deliveryId)).toMatchObject({ status: "failed", lastErrorCode: "bounced" });
    expect((await endpointOf(endpointId)).endpoint?.status).toBe("verified");
  });

  it("rejects the report temporarily while the worker has not recorded that the email was sent", async () => {
    const { returnPath, deliveryId } = await mail();
    const deliveries = mongo.db(stack.mongo.database).collection<{ _id: string }>("deliveries");
    await deliveries.updateOne({ _id: deliveryId }, { $set: { status: "sending" } });
    expect(await report([returnPath], reportTo(returnPath, "postfix-no-such-user"))).toMatchObject({ code: 451 });
    await deliveries.updateOne({ _id: deliveryId }, { $set: { status: "sent" } });
    expect(await report([returnPath], reportTo(returnPath, "postfix-no-such-user"))).toMatchObject({ code: 250 });
    expect(await shown(deliveryId)).toMatchObject({ status: "failed" });
  });

  it("replies 250 only once the report is stored, and lets the server report again if the store fails", async () => {
    const { returnPath, deliveryId, endpointId } = await mail();
    // The endpoint is written first, so this is also the state after a process is killed between the two writes.
    stack.mongo.fail({ command: "update", collection: "deliveries", code: 1, message: "no space left", times: 1_000 });
    const refused = await report([returnPath], reportTo(returnPath, "postfix-no-such-user"));
    stack.mongo.fail({ command: "", code: 0, message: "", times: 0 });
    expect(refused).toEqual({ code: 451, text: expect.stringContaining("4.3.0 The report could not be stored") });
    expect(refused.text).not.toContain("no space left");
    expect(await shown(deliveryId)).toMatchObject({ status: "sent" });
    expect(await report([returnPath], reportTo(returnPath, "postfix-no-such-user"))).toMatchObject({ code: 250 });
    expect(await shown(deliveryId)).toMatchObject({ status: "failed" });
    expect((await endpointOf(endpointId)).endpoint?.status).toBe("revoked");
  });

  it("accepts and drops a report about a delivery that no longer exists", async () => {
    const { returnPath, deliveryId } = await mail();
    const deliveries = mongo.db(stack.mongo.database).collection<{ _id: string }>("deliveries");
    await deliveries.deleteOne({ _id: deliveryId });
    expect(await report([returnPath], reportTo(returnPath, "postfix-no-such-user"))).toMatchObject({ code: 250 });
  });

  it("fails the delivery, and refuses an operator's retry because its content is not kept", async () => {
    const { returnPath, deliveryId } = await mail();
    await report([returnPath], reportTo(returnPath, "postfix-no-such-user"));
    await expect(stack.admin.retryDelivery({ deliveryId }, callOf(newId()))).rejects.toMatchObject({
      code: "contract_violation",
    });
    expect(await shown(deliveryId)).toMatchObject({ status: "failed" });
  });
});

describe("a complaint", () => {
  it("withdraws consent to every marketing purpose, and does not affect other emails", async () => {
    const { returnPath, deliveryId, ...ids } = await mail({ marketingPurpose: "news" });
    expect(await report([returnPath], reportTo(returnPath, "yahoo-complaint"))).toMatchObject({ code: 250 });
    const { endpoint } = await endpointOf(ids.endpointId);
    expect(endpoint).toMatchObject({ status: "verified", consents: [{ purpose: "news", granted: false }] });
    for (const marketingPurpose of ["news", "offers"]) {
      await expect(send(stack, "email", ids, { marketingPurpose })).rejects.toMatchObject({
        code: "consent_withdrawn",
      });
    }
    expect(await finished(stack, ids.clientId, await send(stack, "email", ids))).toMatchObject({ status: "sent" });
    expect(await shown(deliveryId)).toMatchObject({ status: "sent" });
  });

  it("also accepts a complaint at the address of the feedback loops, if it names an email of the platform", async () => {
    const { returnPath, endpointId } = await mail({ marketingPurpose: "news" });
    const complaints = `complaints@${bounce_domain}`;
    expect(await report([complaints], reportTo(returnPath, "yahoo-complaint"))).toMatchObject({ code: 250 });
    expect((await endpointOf(endpointId)).endpoint?.consents).toMatchObject([{ purpose: "news", granted: false }]);
    const forged = returnPath.replace(/.@/, (end) => (end === "0@" ? "1@" : "0@"));
    expect(await report([complaints], reportTo(forged, "yahoo-complaint"))).toMatchObject({ code: 550 });
    expect(await report([complaints], reportTo(returnPath, "postfix-no-such-user"))).toMatchObject({ code: 550 });
  });
});

describe("suppressions", () => {
  it("lists suppressions with the reason, the latest first, only for their own client", async () => {
    const { returnPath, clientId, endpointId } = await mail();
    await report([returnPath], reportTo(returnPath, "postfix-no-such-user"));
    expect(await suppressed(clientId)).toMatchObject([
      { endpointId, reason: "bounced", addressHint: expect.stringMatching(/…|\*/) },
    ]);
    expect(await suppressed(newId())).toEqual([]);
  });

  it("makes a bounced address verified again, with its consents, when its suppression is lifted", async () => {
    const { returnPath, deliveryId: _deliveryId, ...ids } = await mail();
    await report([returnPath], reportTo(returnPath, "postfix-no-such-user"));
    const lifted = await stack.suppressionAdmin.liftSuppression({ endpointId: ids.endpointId }, callOf(newId()));
    expect(lifted.suppression).toMatchObject({ endpointId: ids.endpointId, reason: "bounced" });
    expect(await suppressed(ids.clientId)).toEqual([]);
    expect(await finished(stack, ids.clientId, await send(stack, "email", ids))).toMatchObject({ status: "sent" });
    await expect(
      stack.suppressionAdmin.liftSuppression({ endpointId: ids.endpointId }, callOf(newId())),
    ).rejects.toMatchObject({ code: "contract_violation" });
  });

  it.each([
    [{ kind: "mailbox_unavailable" }, "smtp_550"],
    [{ status: 550, stage: "data", body: "5.1.1 User unknown" }, "smtp_550"],
    [{ status: 511, body: "5.1.10 Recipient address has null MX" }, "smtp_511"],
  ] as const)(
    "suppresses an address at the first rejection that reports it as dead: %o",
    async (fault, lastErrorCode) => {
      const address = `gone-${newId()}@people.example`;
      stack.sink.setFault({ ...fault, channel: "email", to: address, times: 1 });
      const { clientId, profileId } = await prepareClient(stack, "email");
      const { endpointId } = await verifiedEndpoint(stack, "email", clientId, address);
      const deliveryId = await send(stack, "email", { clientId, profileId, endpointId });
      expect(await finished(stack, clientId, deliveryId)).toMatchObject({
        status: "failed",
        attempts: 1,
        providerStatus: "address_dead",
        lastErrorCode,
      });
      expect(await suppressed(clientId)).toMatchObject([{ endpointId, reason: "refused" }]);
    },
  );

  it("does not suppress an address if the server rejects the sender's address (5.1.8)", async () => {
    const address = `fine-${newId()}@people.example`;
    stack.sink.setFault({
      channel: "email",
      to: address,
      status: 550,
      body: "5.1.8 Bad sender's system address",
      times: 1,
    });
    const { clientId, profileId } = await prepareClient(stack, "email");
    const { endpointId } = await verifiedEndpoint(stack, "email", clientId, address);
    const deliveryId = await send(stack, "email", { clientId, profileId, endpointId });
    expect(await finished(stack, clientId, deliveryId)).toMatchObject({ status: "failed", providerStatus: "rejected" });
    expect(await suppressed(clientId)).toEqual([]);
  });
});

describe("the mail server that receives bounces", () => {
  it("refuses email for any other address at RCPT, before its content (open relay, forged bounces)", async () => {
    const { returnPath, deliveryId } = await mail();
    const forged = returnPath.replace(/.@/, (end) => (end === "0@" ? "1@" : "0@"));
    for (const to of [
      forged,
      "ann@people.example",
      `postmaster@${bounce_domain}`,
      returnPath.replace("bounces", "other"),
    ]) {
      expect(await report([to], reportTo(to, "postfix-no-such-user"))).toMatchObject({ code: 550 });
    }
    expect(await shown(deliveryId)).toMatchObject({ status: "sent" });
  });

  it("rejects a second recipient of one email, which would reveal another person's delivery", async () => {
    const [first, second] = [await mail(), await mail()];
    const text = reportTo(first.returnPath, "postfix-no-such-user");
    expect(await report([first.returnPath, second.returnPath], text)).toMatchObject({ code: 250 });
    expect(await shown(first.deliveryId)).toMatchObject({ status: "failed" });
    expect(await shown(second.deliveryId)).toMatchObject({ status: "sent" });
  });

  it("refuses an email of more than 1 MiB, and accepts one of exactly 1 MiB", async () => {
    const { returnPath, deliveryId } = await mail();
    const text = reportTo(returnPath, "postfix-no-such-user");
    const filled = (bytes: number) => {
      const rest = bytes - Buffer.byteLength(text);
      return `${text}${`${"x".repeat(70)}\r\n`.repeat(Math.floor(rest / 72))}${"x".repeat(rest % 72)}`;
    };
    // On the wire, the last line ends with two more bytes.
    expect(await report([returnPath], filled(1024 * 1024 - 1))).toMatchObject({ code: 552 });
    expect(await shown(deliveryId)).toMatchObject({ status: "sent" });
    expect(await report([returnPath], filled(1024 * 1024 - 2))).toMatchObject({ code: 250 });
    expect(await shown(deliveryId)).toMatchObject({ status: "failed" });
  });

  it("accepts and ignores an email that is not a report", async () => {
    const { returnPath, deliveryId } = await mail();
    expect(await report([returnPath], reportTo(returnPath, "vacation"))).toMatchObject({ code: 250 });
    expect(await shown(deliveryId)).toMatchObject({ status: "sent" });
  });

  it("rejects connections of one source beyond a quarter of all (one source uses up all connections)", async () => {
    const connections = Array.from({ length: connectionsMax / 4 }, () => connectMailServer(receiver.smtpPort));
    const held = await Promise.all(connections);
    await expect(connectMailServer(receiver.smtpPort)).rejects.toMatchObject({ responseCode: 421 });
    for (const each of held) each.close();
    await eventually(async () => {
      const again = await connectMailServer(receiver.smtpPort).catch(() => null);
      again?.close();
      return again !== null;
    });
  });
});
