import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { connectGrpc } from "@platform/kit/rpc/client";
import { ContactNoticeService } from "@platform/proto/identity/v1/contact_notices";
import { ErasureAdminService } from "@platform/proto/identity/v1/erasure_admin";
import { ProjectContactAdminService } from "@platform/proto/identity/v1/project_contact_admin";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusal } from "./migration-steps.ts";
import { callAs, makeClient, operatorToken, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
let gateway: ReturnType<typeof connectGrpc>;
let operator: ReturnType<typeof connectGrpc>;
beforeAll(async () => {
  identity = await startIdentity();
  const address = `127.0.0.1:${identity.server.grpcPort}`;
  gateway = connectGrpc({ address, tls: null });
  const metadata = { authorization: `Bearer ${operatorToken}`, "x-operator-reason": "test" };
  operator = connectGrpc({ address, tls: null, metadata });
});
afterAll(async () => {
  gateway.close();
  operator.close();
  await identity.close();
});

const admin = () => operator.service(ProjectContactAdminService);
const add = (projectClientId: string, email: string, kind = "technical") =>
  admin().addProjectContact({ projectClientId, email, kind }, callAs(null));
const list = async (projectClientId: string) =>
  (await admin().listProjectContacts({ projectClientId }, callAs(null))).contacts;
const mailsTo = (email: string) => identity.sink.messages({ channel: "email", to: email });
const newAddress = () => `contact-${crypto.randomUUID()}@team.example`;

/** The path of the link in the newest email to an address. */
async function linkOf(email: string): Promise<string> {
  const mail = await eventually(async () => (await mailsTo(email)).at(-1));
  const [, path = ""] = /(\/api\/v1\/identity-migration\/contacts\/[0-9a-f]{64})/.exec(mail.parsed.text) ?? [];
  return path;
}

const pageOf = (path: string) => fetch(`${identity.pagesUrl}${path}`);

/** Presses the button on the page of a link. */
async function press(path: string, changes: Record<string, string> = {}): Promise<Response> {
  const page = await (await pageOf(path)).text();
  const [, action = ""] = /<form method="post" action="([^"]+)"/.exec(page) ?? [];
  const fields = [...page.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]);
  const body = new URLSearchParams({ ...Object.fromEntries(fields), ...changes });
  return fetch(`${identity.pagesUrl}${action}`, { method: "POST", body });
}

async function confirmed(client: string, kind = "technical"): Promise<{ email: string; id: string }> {
  const email = newAddress();
  const { contact } = await add(client, email, kind);
  expect((await press(await linkOf(email))).status).toBe(200);
  return { email, id: contact?.id ?? "" };
}

const ended = (client: string, subscription = "s", at = new Date()) => ({
  projectClientId: client,
  type: "platform.subscription.ended",
  key: `subscription:${subscription}:ended`,
  dataJson: JSON.stringify({
    subscription_id: subscription,
    status_code: 410,
    at: "2026-07-01T00:30:00.000Z",
    body_start: "<b>gone</b>",
  }),
  occurredAt: timestampFromDate(at),
});
const notify = (...notices: ReturnType<typeof ended>[]) =>
  gateway.service(ContactNoticeService).notifyContacts({ notices }, callAs(null));

describe("contacts of a client", () => {
  it("keeps a contact pending until its owner confirms by the emailed link, and lists only a hint of the address", async () => {
    const client = await makeClient(identity);
    const email = newAddress();
    const { contact } = await add(client, ` ${email.toUpperCase()} `, "business");
    expect(contact).toMatchObject({ emailHint: "c***@team.example", kind: "business", status: "pending" });
    const path = await linkOf(email);
    // Email programs open links to inspect them.
    expect(await (await pageOf(path)).text()).toContain("c***@team.example");
    expect((await list(client))[0]?.status).toBe("pending");
    expect((await press(path)).status).toBe(200);
    expect(await list(client)).toMatchObject([{ id: contact?.id, status: "confirmed" }]);
  });

  it("sends the confirmation email again at most once an hour, with a link that works for 7 days", async () => {
    const client = await makeClient(identity);
    const email = newAddress();
    const { contact } = await add(client, email);
    const path = await linkOf(email);
    expect((await add(client, email)).contact?.id).toBe(contact?.id);
    identity.clock.advanceSeconds(3_600);
    await add(client, email);
    await eventually(async () => (await mailsTo(email)).length === 2);
    // The test's clock keeps running, so the expiry is tested only to the minute.
    identity.clock.advanceSeconds(7 * 86_400 - 60);
    expect((await pageOf(path)).status).toBe(200);
    identity.clock.advanceSeconds(60);
    expect((await pageOf(path)).status).toBe(422);
    expect((await list(client)).length).toBe(1);
  });

  it("does not confirm a contact by a forged form or a guessed link", async () => {
    const client = await makeClient(identity);
    const email = newAddress();
    await add(client, email);
    const path = await linkOf(email);
    expect((await press(path, { form_token: "0".repeat(64) })).status).toBe(403);
    expect((await pageOf(path.replace(/.{64}$/, "0".repeat(64)))).status).toBe(422);
    expect((await list(client))[0]?.status).toBe("pending");
  });

  it("allows at most 20 contacts", async () => {
    const client = await makeClient(identity);
    for (let index = 0; index < 20; index += 1) await add(client, `c${index}@team.example`);
    expect(await refusal(add(client, "one-more@team.example"))).toBe("project_contacts_exceeded");
    expect(await refusal(add(client, "c0@team.example"))).toBe("let in");
  });

  it("stops the emails to a contact with the link in any of them", async () => {
    const client = await makeClient(identity);
    const { email } = await confirmed(client);
    expect((await press(await linkOf(email))).status).toBe(200);
    expect(await list(client)).toEqual([]);
  });

  it("removes contacts by address and kind, by id, and when their person or client is erased", async () => {
    const client = await makeClient(identity);
    const email = newAddress();
    for (const kind of ["technical", "business"]) await add(client, email, kind);
    const remove = (kind: string) =>
      admin().removeProjectContactAddress({ projectClientId: client, email, kind }, callAs(null));
    expect((await remove("business")).removed).toBe(1);
    expect(await refusal(remove("business"))).toBe("project_contact_not_found");
    const other = (await add(client, newAddress())).contact?.id ?? "";
    await admin().removeProjectContact({ contactId: other }, callAs(null));
    expect((await list(client)).map(({ kind }) => kind)).toEqual(["technical"]);
    const erasures = operator.service(ErasureAdminService);
    const { erasureId } = await erasures.erasePerson({ email }, callAs(null));
    const isErased = async () =>
      (await erasures.showErasure({ erasureId }, callAs(null))).steps.find(({ service }) => service === "identity");
    await eventually(async () => (await isErased())?.status === "done");
    expect(await list(client)).toEqual([]);
  });

  it("refuses an invalid address, and an unknown kind, type and client", async () => {
    const client = await makeClient(identity);
    expect(await refusal(add(client, "no address"))).toBe("contract_violation");
    expect(await refusal(add(client, newAddress(), "private"))).toBe("contract_violation");
    const { contact } = await add(client, newAddress());
    const mute = (types: string[]) => admin().muteProjectContact({ contactId: contact?.id ?? "", types }, callAs(null));
    expect(await refusal(mute(["platform.file_object.available"]))).toBe("contract_violation");
    expect(await refusal(mute([]))).toBe("contract_violation");
  });
});

describe("emails to contacts", () => {
  it("emails contacts once about a fact whose publication is repeated after midnight (outage of events-svc)", async () => {
    const client = await makeClient(identity);
    const { id } = await confirmed(client);
    const fact = ended(client, "s", identity.clock.now());
    await notify(fact);
    identity.clock.advanceSeconds(86_400);
    await notify(fact);
    const mongo = await MongoClient.connect(identity.mongo.uri);
    const notices = mongo.db(identity.mongo.database).collection("contact_notices");
    expect(await notices.countDocuments({ contact_id: id })).toBe(1);
    await mongo.close();
  });

  it("emails each fact once a day to confirmed contacts of both kinds", async () => {
    const client = await makeClient(identity);
    const [one, other] = [await confirmed(client), await confirmed(client, "business")];
    const pending = newAddress();
    await add(client, pending);
    await notify(ended(client), ended(client), ended(client, "t"));
    await notify(ended(client));
    for (const { email } of [one, other]) {
      const mails = await eventually(async () => {
        const all = await mailsTo(email);
        return all.length === 3 ? all : null;
      });
      expect(mails[1]?.parsed.subject).toBe("Test project: A subscription has ended");
      expect(mails[1]?.parsed.text).toContain("with 410 at 2026-07-01T00:30:00.000Z");
      expect(mails[1]?.parsed.text).toContain('Beginning of the response: "<b>gone</b>"');
    }
    await linkOf(pending);
    expect(await mailsTo(pending)).toHaveLength(1);
    identity.clock.advanceSeconds(86_400);
    await notify(ended(client, "s", new Date(Date.now() + 86_400_000)));
    await eventually(async () => (await mailsTo(one.email)).length === 4);
  });

  it("sends one email a day when 80 % of a quota are used, and another when all of it is used", async () => {
    const client = await makeClient(identity);
    const { email } = await confirmed(client);
    const reached = (percent: number, at: string) => ({
      ...ended(client),
      type: "platform.quota.threshold_reached",
      key: `quota:storage_bytes.${at}:threshold_reached:${percent}`,
      dataJson: JSON.stringify({ resource: "storage_bytes", percent, used: percent, limit: 100 }),
    });
    await notify(reached(80, "2026-07-01T10:00:00.000Z"), reached(100, "2026-07-01T10:00:00.000Z"));
    await notify(reached(100, "2026-07-01T11:00:00.000Z"), ended(client));
    const mails = await eventually(async () => {
      const all = await mailsTo(email);
      return all.length === 4 ? all : null;
    });
    const subjects = mails.slice(1).map(({ parsed }) => parsed.subject.replace("Test project: ", ""));
    expect(subjects.sort()).toEqual([
      "100 % of the quota storage_bytes is used",
      "80 % of the quota storage_bytes is used",
      "A subscription has ended",
    ]);
  });

  it("does not send types that a contact has muted until it is unmuted", async () => {
    const client = await makeClient(identity);
    const [muted, other] = [await confirmed(client), await confirmed(client)];
    const types = ["platform.subscription.ended"];
    const { contact } = await admin().muteProjectContact({ contactId: muted.id, types }, callAs(null));
    expect(contact?.muted).toEqual(types);
    await notify(ended(client, "first"));
    await eventually(async () => (await mailsTo(other.email)).length === 2);
    await admin().unmuteProjectContact({ contactId: muted.id, types }, callAs(null));
    await notify(ended(client, "second"));
    const mails = await eventually(async () => {
      const all = await mailsTo(muted.email);
      return all.length === 2 ? all : null;
    });
    expect(mails[1]?.parsed.text).toContain("second");
  });

  it("refuses a notice of an unknown type", async () => {
    const client = await makeClient(identity);
    expect(await refusal(notify({ ...ended(client), type: "platform.file_object.available" }))).toBe(
      "contract_violation",
    );
  });
});
