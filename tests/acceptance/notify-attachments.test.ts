import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, it } from "vitest";
import { grantUpload, newStorageClient } from "./file-grants.ts";
import { arrived, setFault } from "./notify-sink.ts";
import { acceptanceStack, type TestClient } from "./stack.ts";

const { api, ctl } = acceptanceStack;
const mebibyte = 1024 * 1024;
let client: TestClient;
let directory: string;
let profileId: string;
let endpointId: string;
const address = `ann-${randomBytes(4).toString("hex")}@people.example`;

/** The template always has one attachment, and a second one if a variable names it. */
const template = {
  key: "invoice",
  channel: "email",
  locale: "en",
  subject: "Invoice {{ number }}",
  text: "Your invoice is attached.",
  attachments: [
    { file: "{{ invoice }}", name: "invoice-{{ number }}.txt" },
    { file: "{{ terms }}", name: "terms.txt" },
  ],
  reply_to: "Billing <billing+{{ number }}@shop.example>",
  headers: { "List-Id": "Invoices <invoices.shop.example>", "X-Campaign": "{{ campaign }}" },
  variables: { number: "integer", invoice: "string", terms: "string", campaign: "string" },
};

beforeAll(async () => {
  client = await newStorageClient();
  directory = await mkdtemp(join(tmpdir(), "attachments-"));
  const file = join(directory, "catalog.yaml");
  await writeFile(file, JSON.stringify({ templates: [template] }));
  await ctl(["catalog", "apply", "--client", client.id, "--file", file]);
  const config = JSON.stringify({ from: "Shop <no-reply@shop.example>" });
  const profile = ["--client", client.id, "--channel", "email", "--name", "main", "--config", config];
  ({ id: profileId } = await ctl(["sender-profiles", "create", ...profile]));
  const { json } = await call("POST", "/email-delivery-endpoints", { address });
  endpointId = json.data.id;
  await call("POST", `/email-delivery-endpoints/${endpointId}/verify`, { token: json.data.verification_token });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const call = (method: string, path: string, body?: unknown, credential = client.credential) =>
  api(method, path, { credential, body });

/** Uploads a file and waits until its File Object is available. */
async function upload(bytes: Buffer<ArrayBuffer>, owner = client): Promise<string> {
  const digest = createHash("sha256").update(bytes).digest("hex");
  const { file_object_id: id, upload_token: token } = await grantUpload(owner, digest, bytes.byteLength);
  const headers = { "content-type": "text/plain" };
  const put = await api("PUT", `/file-uploads/${token}`, {
    credential: null,
    idempotencyKey: null,
    body: bytes,
    headers,
  });
  expect(put.status).toBe(200);
  await eventually(async () => {
    const { json } = await call("POST", `/file-objects/${id}/complete`, undefined, owner.credential);
    return json.data.status === "available";
  });
  return id;
}
const textOf = (bytes: number): Buffer<ArrayBuffer> => Buffer.alloc(bytes, randomBytes(8).toString("hex"));

const send = (variables: Record<string, unknown>) =>
  call("POST", "/notification-intents", {
    sender_profile_id: profileId,
    endpoint_id: endpointId,
    template_key: "invoice",
    locale: "en",
    variables: { number: 7, terms: "", campaign: "spring", ...variables },
  });
const finished = (deliveryId: string) =>
  eventually(async () => {
    const { json } = await call("GET", `/notification-deliveries/${deliveryId}`);
    return ["sent", "failed"].includes(json.data.status) && json.data;
  });

it("sends File Objects as attachments, with the template's reply address and headers", async () => {
  const content = Buffer.from("Invoice 7: 250 JPY\n");
  const [invoice, terms] = await Promise.all([upload(content), upload(textOf(1_500))]);
  const { status, json } = await send({ invoice, terms });
  expect(status).toBe(200);
  expect(await finished(json.data.delivery_id)).toMatchObject({ status: "sent", provider_status: "accepted" });
  const [mail] = await arrived("email", address);
  const raw = mail?.raw ?? "";
  expect(raw).toContain(content.toString("base64"));
  expect(raw).toMatch(/filename="?invoice-7\.txt"?/);
  expect(raw).toMatch(/filename="?terms\.txt"?/);
  expect(raw).toMatch(/^Reply-To: Billing <billing\+7@shop\.example>\r?$/m);
  expect(raw).toMatch(/^List-Id: Invoices <invoices\.shop\.example>\r?$/im);
  expect(raw).toMatch(/^X-Campaign: spring\r?$/m);
});

it("accepts attachments of 10 MiB in total, and rejects one byte more", async () => {
  const [half, other, more] = await Promise.all([
    upload(textOf(5 * mebibyte)),
    upload(textOf(5 * mebibyte)),
    upload(textOf(5 * mebibyte + 1)),
  ]);
  expect((await send({ invoice: half, terms: other })).status).toBe(200);
  expect(await send({ invoice: half, terms: more })).toMatchObject({
    status: 422,
    json: {
      error: {
        code: "template_variables_mismatch",
        details: {
          violations: [{ path: "/variables", code: "too_large", message: expect.stringContaining("10485761 bytes") }],
        },
      },
    },
  });
});

it.each(["another project's", "an unknown", "a pending"])(
  "refuses %s File Object when the intent is accepted",
  async (kind) => {
    const bytes = textOf(100);
    const idOf = async (): Promise<string> => {
      if (kind === "another project's") return upload(bytes, await newStorageClient());
      if (kind === "an unknown") return "0197a000-0000-7000-8000-000000000001";
      return (await grantUpload(client, createHash("sha256").update(bytes).digest("hex"), 100)).file_object_id;
    };
    expect(await send({ invoice: await idOf() })).toMatchObject({
      status: 422,
      json: { error: { code: "template_variables_mismatch", details: { violations: [{ code: "invalid_value" }] } } },
    });
  },
);

it("refuses a line break in a header's value (header injection)", async () => {
  const invoice = await upload(textOf(100));
  const refused = await send({ invoice, campaign: "spring\r\nBcc: eve@evil.example" });
  expect(refused).toMatchObject({ status: 422, json: { error: { code: "template_variables_mismatch" } } });
});

it("fails a delivery whose attachment has been deleted when it is sent", async () => {
  const invoice = await upload(textOf(100));
  await setFault({ channel: "email", to: address, status: 451, times: 50 });
  const { json } = await send({ invoice });
  await ctl(["files", "delete", "--file", invoice, "--reason", "test"]);
  expect(await finished(json.data.delivery_id)).toMatchObject({
    status: "failed",
    last_error_code: "attachment_unavailable",
  });
});

it("reports to operators which entries of the validated catalog are not applied", async () => {
  const entry = {
    event_key: "order.shipped",
    template_key: "shipped",
    channel: "email",
    purpose: "orders",
    locale: "en",
    sender_profile: "main",
    variables: {},
  };
  const validated = await call("POST", "/notification-catalog/validate", { entries: [entry] });
  expect(validated.json.data.entries).toBe(1);
  const file = join(directory, "next.yaml");
  const next = { key: "shipped", channel: "email", locale: "ja", subject: "s", text: "t" };
  await writeFile(file, JSON.stringify({ templates: [template, next] }));
  const apply = ["catalog", "apply", "--client", client.id, "--file", file];
  expect(await ctl([...apply, "--dry-run"])).toEqual({
    added: ["shipped email ja"],
    changed: [],
    removed: [],
    problems: [{ kind: "locale", name: "order.shipped email en", message: expect.stringContaining("shipped") }],
  });
  await ctl(apply);
  const history = await ctl(["catalog", "history", "--client", client.id]);
  expect(history.items).toMatchObject([
    { version: 2, added: ["shipped email ja"], changed: [], removed: [] },
    { version: 1, added: ["invoice email en"] },
  ]);
  expect(await ctl(["catalog", "rollback", "--client", client.id, "--to", "1"])).toMatchObject({
    version: 3,
    removed: ["shipped email ja"],
  });
});
