import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exampleRequests } from "@platform/contracts/examples";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, test } from "vitest";
import { grantUpload } from "./file-grants.ts";
import { setFault } from "./notify-sink.ts";
import { acceptanceStack, api, ctl, type TestClient } from "./stack.ts";
import { newProject, type Project } from "./walk/project.ts";

/**
 * Time limit within which a change by an operator must take effect everywhere. The platform promises one second; the limit is two because the machine may be
 * busy. Without the announcement over Redis, a change would take at least four seconds.
 */
const withinMs = 2_000;
const target = createServer((_request, response) => response.writeHead(204).end());
beforeAll(() => new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve)));
afterAll(() => void target.close());

const post = (client: TestClient, path: string, body?: unknown) =>
  api("POST", path, { credential: client.credential, body });

/** Returns the status of the response to a file's download link. */
async function downloadLink(client: TestClient): Promise<() => Promise<number>> {
  const bytes = Buffer.from(`text ${randomUUID()}\n`);
  const grant = await grantUpload(client, createHash("sha256").update(bytes).digest("hex"), bytes.byteLength);
  const headers = { "content-type": "text/plain" };
  await api("PUT", `/file-uploads/${grant.upload_token}`, { credential: null, body: bytes, headers });
  await eventually(async () => {
    const { json } = await post(client, `/file-objects/${grant.file_object_id}/complete`);
    return json.data.status === "available";
  });
  const { json } = await post(client, `/file-objects/${grant.file_object_id}/download-grants`);
  return async () => (await fetch(json.data.download_url)).status;
}

/** Creates an email that has failed three times and is due again in about eight seconds. */
async function deferredMail({ client, emailProfileId }: Project) {
  const address = `${randomUUID()}@people.example`;
  const endpoint = (await post(client, "/email-delivery-endpoints", { address })).json.data;
  await post(client, `/email-delivery-endpoints/${endpoint.id}/verify`, { token: endpoint.verification_token });
  await setFault({ channel: "email", to: address, status: 451, times: 3 });
  const { json } = await post(client, "/notification-intents", {
    ...exampleRequests["notify.createNotificationIntent"].body,
    sender_profile_id: emailProfileId,
    endpoint_id: endpoint.id,
  });
  const path = `/notification-deliveries/${json.data.delivery_id}`;
  const read = async () => (await api("GET", path, { credential: client.credential })).json.data;
  await eventually(async () => (await read()).attempts === 3 && (await read()).status === "pending");
  return { read, show: () => ctl(["deliveries", "show", "--delivery", json.data.delivery_id]) };
}

/** Issues decision tokens for a campaign of the client. Returns a function that reports one and returns the status or the error code. */
async function decisionTokens(client: TestClient) {
  const campaign = await ctl([
    "campaigns", "create", "--name", "Spring", "--currency", "JPY", "--cpm-minor", "1000", "--budget-minor", "100000",
    "--destination-url", "https://advertiser.example/", "--client", client.id,
  ]); // biome-ignore format: one command
  const { tokens } = await ctl(["ads", "decide", "--campaign", campaign.id, "--count", "200"]);
  return async (): Promise<string> => {
    const body = { token: tokens.pop(), visible_ratio_basis_points: 10_000, duration_milliseconds: 2_000 };
    const { status, json } = await api("POST", "/advertising/viewable-impressions", { body, credential: null });
    return json.error?.code ?? `${status}`;
  };
}

/** Opens the first hosted page in a browser. Returns a function that requests the page again and returns its title. */
async function hostedPage(client: TestClient): Promise<() => Promise<string>> {
  const transaction = await post(client, "/identity-migration-transactions", {
    project_client_id: client.id,
    legacy_subject: `legacy-${randomUUID()}`,
    email: `${randomUUID()}@example.com`,
    locale: "en",
    correlation_id: randomUUID(),
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const { id, flow_token } = transaction.json.data;
  const { return_uri } = exampleRequests["identity.createHostedContinuation"].body;
  const path = `/identity-migration-transactions/${id}/hosted-continuations`;
  const continuation = (await post(client, path, { flow_token, return_uri, state: "s" })).json.data;
  const pages = `${acceptanceStack.baseUrl}/api/v1/identity-migration`;
  const posted = await fetch(`${pages}/continue`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({
      continuation_id: continuation.id,
      continuation_token: continuation.continuation_token,
    }),
  });
  const cookie = posted.headers.getSetCookie().map((line) => line.split(";")[0]).join("; "); // biome-ignore format: one line
  return async () => {
    const html = await (await fetch(`${pages}/sign-in`, { headers: { cookie, accept: "text/html" } })).text();
    return /<h1>(.*?)<\/h1>/.exec(html)?.[1] ?? html;
  };
}

/** Invokes a scheduled operation and returns the outcome of its newest run. */
async function scheduledOperation(client: TestClient): Promise<() => Promise<string>> {
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
  const { json } = await post(client, "/scheduled-operations", { name: "hook", url, secret: "s".repeat(32) });
  return async () => {
    const { invocation_id } = await ctl(["schedules", "invoke", "--operation", json.data.id]);
    return eventually(async () => {
      const runs = await ctl(["schedules", "runs", "--operation", json.data.id]);
      const { status } = runs.find((run: { id: string }) => run.id === invocation_id) ?? {};
      return ["succeeded", "skipped"].includes(status) ? status : null;
    });
  };
}

test("stops all work of a disabled client within a second, and resumes what has not expired once enabled", async () => {
  const project = await newProject();
  const other = await newProject();
  const { client } = project;
  const [download, decide, hosted, runOnce] = await Promise.all([
    downloadLink(client),
    decisionTokens(client),
    hostedPage(client),
    scheduledOperation(client),
  ]);
  const call = () => api("GET", "/project-client", { credential: client.credential });
  expect([await download(), await decide(), await hosted(), await runOnce(), (await call()).status]).toEqual([
    200,
    "200",
    "Sign in to link your account",
    "succeeded",
    200,
  ]);
  const mail = await deferredMail(project);

  await ctl(["clients", "disable", "--client", client.id]);
  const becomes = <T>(look: () => Promise<T>, wanted: T) =>
    eventually(async () => (await look()) === wanted, { timeoutMs: withinMs, what: `${wanted}` });
  await Promise.all([
    becomes(async () => (await call()).json.error?.code, "project_client_disabled"),
    becomes(download, 404),
    becomes(decide, "decision_token_invalid"),
    becomes(hosted, "The project is not available"),
  ]);
  // An email of another client, which was postponed later, has been sent by now. The email of the disabled client was therefore due as well.
  const later = await deferredMail(other);
  await eventually(async () => (await later.read()).status === "sent");
  expect(await mail.show()).toMatchObject({ status: "pending", attempts: 3 });
  expect(await runOnce()).toBe("skipped");

  await ctl(["clients", "enable", "--client", client.id]);
  await Promise.all([
    becomes(async () => (await call()).status, 200),
    becomes(download, 200),
    becomes(decide, "200"),
    becomes(hosted, "Sign in to link your account"),
  ]);
  await eventually(async () => (await mail.read()).status === "sent");
  expect(await runOnce()).toBe("succeeded");
});
