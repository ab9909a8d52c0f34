import { createHash, randomUUID } from "node:crypto";
import { exampleRequests } from "@platform/contracts/examples";
import type { OperationId } from "@platform/contracts/operations";
import { eventually } from "@platform/test-kit/eventually";
import { acceptanceStack, api, ctl } from "../stack.ts";
import type { OperationRequest } from "./operation-request.ts";
import type { Project } from "./project.ts";

/** Prepares what an operation needs, and returns a new request of it that succeeds. */
export type Prepare = (project: Project) => Promise<OperationRequest>;

const none: OperationRequest = { params: null, body: null };
const password = `Passw0rd-${randomUUID()}`;

/** Every secret that the requests have used or received. No store and no log may contain one. */
export const usedSecrets = new Set<string>([password]);

/** Addresses to which pushes were sent. The platform must store them, but must not show or log them. */
export const usedAddresses = new Set<string>();

/**
 * Clears the lists of secrets and addresses that earlier test files of this worker have used, so that a search of the stores only looks for the caller's own
 * secrets.
 */
export function forgetUsed(): void {
  usedSecrets.clear();
  usedSecrets.add(password);
  usedAddresses.clear();
}

function address(value: string): string {
  usedAddresses.add(value);
  return value;
}

function secret(value: string): string {
  usedSecrets.add(value);
  return value;
}

/** Calls the API as the project and returns `data`; throws if the call fails. */
async function make(project: Project, method: string, path: string, body?: unknown): Promise<any> {
  const reply = await api(method, path, {
    credential: project.client.credential,
    ...(body === undefined ? {} : { body }),
  });
  if (reply.status >= 300) throw new Error(`preparing: ${method} ${path} answered ${reply.status} ${reply.text}`);
  return reply.json.data;
}

/** Returns the value that `pick` finds in the messages to `to`, and waits until there is one. */
function received<T>(channel: string, to: string, pick: (message: any) => T | null | undefined): Promise<T> {
  const url = `${acceptanceStack.sinkUrl}/messages?channel=${channel}&to=${encodeURIComponent(to)}`;
  return eventually(async () => {
    const messages = (await (await fetch(url)).json()) as any[];
    return messages.map(pick).find((found) => found !== null && found !== undefined);
  });
}

// Identity

const transactionBody = (project: Project, email = `${randomUUID()}@example.com`) => ({
  ...exampleRequests["identity.createIdentityMigrationTransaction"].body,
  project_client_id: project.client.id,
  legacy_subject: `member-${randomUUID()}`,
  email,
  expires_at: new Date(Date.now() + 3_600_000).toISOString(),
});

async function newTransaction(project: Project, email?: string): Promise<{ id: string; flow_token: string }> {
  const transaction = await make(project, "POST", "/identity-migration-transactions", transactionBody(project, email));
  secret(transaction.flow_token);
  return transaction;
}

/** Creates a transaction, and a session of an account that has proved its address since then. */
async function transactionWithSession(project: Project) {
  const email = `${randomUUID()}@example.com`;
  const { id, flow_token } = await newTransaction(project, email);
  const account = await ctl(["accounts", "create", "--email", email, "--password", password, "--verified"]);
  const { session } = await ctl(["sessions", "create", "--account", account.id]);
  return { params: { transactionId: id }, body: { flow_token }, session: secret(session), email };
}

async function newContinuation(project: Project): Promise<OperationRequest> {
  const { id, flow_token } = await newTransaction(project);
  const body = { ...exampleRequests["identity.createHostedContinuation"].body, flow_token };
  return { params: { transactionId: id }, body };
}

const identity = {
  "identity.getProjectClient": async () => none,
  "identity.createIdentityMigrationTransaction": async (project) => ({ params: null, body: transactionBody(project) }),
  "identity.getIdentityMigrationTransaction": async (project) => ({
    params: { transactionId: (await newTransaction(project)).id },
    body: null,
  }),
  "identity.createHostedContinuation": newContinuation,
  "identity.continueIdentityMigration": async (project) => {
    const { params, body } = await newContinuation(project);
    const path = `/identity-migration-transactions/${params?.transactionId}/hosted-continuations`;
    const continuation = await make(project, "POST", path, body);
    const { id, continuation_token } = continuation;
    return { params: null, body: { continuation_id: id, continuation_token: secret(continuation_token) } };
  },
  "identity.linkIdentityMigrationTransaction": transactionWithSession,
  "identity.confirmLink": async (project) => {
    const { params, body, session } = await transactionWithSession(project);
    const path = `/identity-migration-transactions/${params.transactionId}/link`;
    const linked = await api("POST", path, { credential: session, body });
    if (linked.status !== 200) throw new Error(`preparing: link answered ${linked.text}`);
    return { params, body: null };
  },
  "identity.requestEmailVerification": transactionWithSession,
  "identity.verifyEmail": async (project) => {
    const { params, body, session, email } = await transactionWithSession(project);
    const path = `/identity-migration-transactions/${params.transactionId}/email-verification`;
    await api("POST", path, { credential: session, body });
    const token = await received("email", email, (mail) => /verify-email\/([0-9a-f]{64})/.exec(unfold(mail.raw))?.[1]);
    return { params: { ...params, token: secret(token) }, body: null };
  },
} satisfies Partial<Record<OperationId, Prepare>>;

/** Returns the text of an email without the line breaks of quoted-printable. */
function unfold(raw: string): string {
  return raw.replace(/=\r?\n/g, "").replace(/=3D/g, "=");
}

// Files

const onePixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function newUpload(project: Project): Promise<{ id: string; request: OperationRequest }> {
  const grant = await make(project, "POST", "/file-objects/upload-grants", {
    expected_sha256: createHash("sha256").update(onePixel).digest("hex"),
    expected_content_type: "image/png",
    maximum_bytes: onePixel.byteLength,
  });
  const params = { uploadToken: secret(grant.upload_token) };
  const upload = { bytes: onePixel, contentType: "image/png" };
  return { id: grant.file_object_id, request: { params, body: null, upload } };
}

async function newQuarantinedFile(project: Project): Promise<string> {
  const { id, request } = await newUpload(project);
  const headers = { "content-type": "image/png" };
  await api("PUT", `/file-uploads/${request.params?.uploadToken}`, { body: onePixel, headers, credential: null });
  return id;
}

async function newAvailableFile(project: Project): Promise<string> {
  const id = await newQuarantinedFile(project);
  await eventually(async () => (await make(project, "POST", `/file-objects/${id}/complete`)).status === "available");
  return id;
}

const files = {
  "files.createUploadGrant": async () => exampleRequests["files.createUploadGrant"],
  "files.uploadFile": async (project) => (await newUpload(project)).request,
  "files.completeFileObject": async (project) => ({
    params: { fileObjectId: await newQuarantinedFile(project) },
    body: null,
  }),
  "files.createDownloadGrant": async (project) => ({
    params: { fileObjectId: await newAvailableFile(project) },
    body: null,
  }),
  "files.createPublicAsset": async (project) => ({
    params: { fileObjectId: await newAvailableFile(project) },
    body: { image_preset_id: acceptanceStack.env.IMAGE_PRESET_ID ?? "" },
  }),
} satisfies Partial<Record<OperationId, Prepare>>;

// Notifications

async function newEmailEndpoint(project: Project): Promise<{ id: string; verification_token: string }> {
  const endpoint = await make(project, "POST", "/email-delivery-endpoints", {
    address: `${randomUUID()}@example.com`,
  });
  secret(endpoint.verification_token);
  return endpoint;
}

async function newChannelEndpoint(project: Project): Promise<OperationRequest & { params: { endpointId: string } }> {
  const identifier = address(`registration-${randomUUID()}`);
  const endpoint = await make(project, "POST", "/notification-endpoints", { channel: "fcm", identifier });
  const token = await received("fcm", identifier, (push) => /"token"\s*:\s*"([0-9a-f]{64})"/.exec(push.raw)?.[1]);
  return { params: { endpointId: endpoint.id }, body: { token: secret(token) } };
}

const endpointRequest: Prepare = async (project) => ({ ...(await newChannelEndpoint(project)), body: null });

async function newEmailIntent(project: Project): Promise<OperationRequest> {
  const { id, verification_token: token } = await newEmailEndpoint(project);
  await make(project, "POST", `/email-delivery-endpoints/${id}/verify`, { token });
  const body = exampleRequests["notify.createNotificationIntent"].body;
  return { params: null, body: { ...body, endpoint_id: id, sender_profile_id: project.emailProfileId } };
}

const notify = {
  "notify.validateNotificationCatalog": async () => exampleRequests["notify.validateNotificationCatalog"],
  "notify.registerEmailDeliveryEndpoint": async () => ({
    params: null,
    body: { address: `${randomUUID()}@example.com` },
  }),
  "notify.verifyEmailDeliveryEndpoint": async (project) => {
    const { id, verification_token: token } = await newEmailEndpoint(project);
    return { params: { endpointId: id }, body: { token } };
  },
  "notify.createNotificationIntent": newEmailIntent,
  "notify.createChannelNotificationIntent": async (project) => {
    const { params, body: tokenBody } = await newChannelEndpoint(project);
    const endpoint = `/notification-endpoints/${params.endpointId}`;
    await make(project, "POST", `${endpoint}/verify`, tokenBody);
    const { body } = exampleRequests["notify.createChannelNotificationIntent"];
    await make(project, "PUT", `${endpoint}/consents/${body.purpose}`, { granted: true });
    const ids = { endpoint_id: params.endpointId, sender_profile_id: project.fcmProfileId };
    return { params: null, body: { ...body, ...ids } };
  },
  "notify.registerDeliveryEndpoint": async () => ({
    params: null,
    body: { channel: "fcm", identifier: address(`registration-${randomUUID()}`) },
  }),
  "notify.verifyDeliveryEndpoint": newChannelEndpoint,
  "notify.getDeliveryEndpoint": endpointRequest,
  "notify.revokeDeliveryEndpoint": endpointRequest,
  "notify.setDeliveryConsent": async (project) => {
    const { params, body } = exampleRequests["notify.setDeliveryConsent"];
    return { params: { ...params, ...(await newChannelEndpoint(project)).params }, body };
  },
  "notify.getNotificationDelivery": async (project) => {
    const { body } = await newEmailIntent(project);
    const intent = await make(project, "POST", "/notification-intents", body);
    return { params: { deliveryId: intent.delivery_id }, body: null };
  },
} satisfies Partial<Record<OperationId, Prepare>>;

/** Creates a valid request of each operation. The type requires one for every operation of the table. */
export const workingRequests: Readonly<Record<OperationId, Prepare>> = {
  "edge.getHealth": async () => none,
  "edge.noop": async () => exampleRequests["edge.noop"],
  ...identity,
  ...files,
  ...notify,
  "events.createProjectAudit": async () => exampleRequests["events.createProjectAudit"],
  "events.publishDomainEvent": async () => {
    const { body } = exampleRequests["events.publishDomainEvent"];
    return { params: null, body: { ...body, stream_id: `order-${randomUUID()}` } };
  },
  "events.registerScheduledOperation": async () => {
    const { body } = exampleRequests["events.registerScheduledOperation"];
    return { params: null, body: { ...body, secret: secret(`whsec-${randomUUID()}-${randomUUID()}`) } };
  },
  "ads.recordViewableImpression": async () => {
    const { body } = exampleRequests["ads.recordViewableImpression"];
    const { token } = await ctl(["ads", "decide", "--campaign", acceptanceStack.env.CAMPAIGN_ID ?? ""]);
    return { params: null, body: { ...body, token: secret(token) } };
  },
};
