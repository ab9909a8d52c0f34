import { createHash, randomUUID } from "node:crypto";
import { client } from "./generated/client.gen.js";
import {
  eventsPublishDomainEvent,
  filesCreateUploadGrant,
  filesUploadFile,
  identityGetProjectClient,
} from "./generated/sdk.gen.js";
import type { UnprocessableError } from "./generated/types.gen.js";

const { BASE_URL, PROJECT_CREDENTIAL } = process.env;
client.setConfig({ baseUrl: `${BASE_URL}/api/v1`, auth: PROJECT_CREDENTIAL ?? "" });

// Read the Project Client.
const project = await identityGetProjectClient();
console.log(`client ${project.data?.data.name}`);

// Publishes the same event twice under one key: it must be stored once.
const body = { type: "order.shipped", schema_version: 1, data: { order_number: "A-1042" } };
const headers = { "Idempotency-Key": randomUUID() };
const first = await eventsPublishDomainEvent({ body, headers });
const second = await eventsPublishDomainEvent({ body, headers });
if (first.data?.data.id !== second.data?.data.id || first.data === undefined) throw new Error("published twice");
console.log(`event ${first.data.data.id}`);

// Upload a file.
const bytes = new TextEncoder().encode("Hello from hey-api.\n");
const grant = await filesCreateUploadGrant({
  headers: { "Idempotency-Key": randomUUID() },
  body: {
    expected_sha256: createHash("sha256").update(bytes).digest("hex"),
    expected_content_type: "text/plain",
    maximum_bytes: bytes.byteLength,
  },
});
const upload = await filesUploadFile({
  path: { uploadToken: grant.data?.data.upload_token ?? "" },
  headers: { "content-type": "text/plain" },
  body: new Blob([bytes]),
});
console.log(`file ${upload.data?.data.file_object_id ?? JSON.stringify(upload.error)}`);

// Read a typed 422.
const refused = await eventsPublishDomainEvent({
  body: { ...body, type: "Not a name" },
  headers: { "Idempotency-Key": randomUUID() },
});
const { error } = refused.error as UnprocessableError;
console.log(`refused ${error.code} ${error.details.violations?.[0]?.path}`);
