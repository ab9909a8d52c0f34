import { createHash, randomUUID } from "node:crypto";
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/schema.js";

const { BASE_URL, PROJECT_CREDENTIAL } = process.env;
const headers = { authorization: `Bearer ${PROJECT_CREDENTIAL}` };
const client = createClient<paths>({ baseUrl: `${BASE_URL}/api/v1`, headers });

// Read the Project Client.
const project = await client.GET("/project-client");
console.log(`client ${project.data?.data.name}`);

// Publishes the same event twice under one key: it must be stored once.
const body = { type: "order.shipped", schema_version: 1, data: { order_number: "A-1042" } };
const params = { header: { "Idempotency-Key": randomUUID() } };
const first = await client.POST("/domain-events", { params, body });
const second = await client.POST("/domain-events", { params, body });
if (first.data?.data.id !== second.data?.data.id || first.data === undefined) throw new Error("published twice");
console.log(`event ${first.data.data.id}`);

// Upload a file.
const bytes = new TextEncoder().encode("Hello from openapi-typescript.\n");
const grant = await client.POST("/file-objects/upload-grants", {
  params: { header: { "Idempotency-Key": randomUUID() } },
  body: {
    expected_sha256: createHash("sha256").update(bytes).digest("hex"),
    expected_content_type: "text/plain",
    maximum_bytes: bytes.byteLength,
  },
});
const upload = await client.PUT("/file-uploads/{uploadToken}", {
  params: { path: { uploadToken: grant.data?.data.upload_token ?? "" } },
  headers: { "content-type": "text/plain" },
  body: "",
  bodySerializer: () => bytes,
});
console.log(`file ${upload.data?.data.file_object_id ?? JSON.stringify(upload.error)}`);

// Read a typed 422.
const refused = await client.POST("/domain-events", {
  params: { header: { "Idempotency-Key": randomUUID() } },
  body: { ...body, type: "Not a name" },
});
const error = refused.error as components["schemas"]["UnprocessableError"];
console.log(`refused ${error.error.code} ${error.error.details.violations?.[0]?.path}`);
