import { createHash, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

type Demo = Readonly<Record<string, string>>;

type DemoOptions = {
  /** The output of `demo seed`. */
  readonly demo: Demo;
  readonly ctl: (args: readonly string[]) => Promise<unknown>;
  readonly sinkUrl: string;
  readonly show: (line: string) => void;
};

type Reply = { status: number; data: Record<string, unknown> };

/**
 * Sends one real request to each domain and shows the responses. Rejects if one fails, or if the email does not arrive.
 */
export async function runDemoRequests({ demo, ctl, sinkUrl, show }: DemoOptions): Promise<void> {
  const base = `${demo.BASE_URL}/api/v1`;
  const request = async (label: string, method: string, path: string, body?: unknown): Promise<Reply> => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${demo.PROJECT_CREDENTIAL}`,
        "idempotency-key": randomUUID(),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    show(`  ${label.padEnd(14)} ${method} ${path} -> ${response.status} ${shorten(text)}`);
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return { status: response.status, data: (JSON.parse(text) as { data: Record<string, unknown> }).data };
  };

  await request("client", "GET", "/project-client");
  await request("audit", "POST", "/project-audits", {
    actor_id: "user-1", action: "document.published", resource_type: "document", resource_id: "document-1", outcome: "succeeded",
  }); // biome-ignore format: one line
  await request("event", "POST", "/domain-events", { type: "order.placed", schema_version: 1, data: { order: 1 } });
  await request("identity", "POST", "/identity-migration-transactions", {
    project_client_id: demo.PROJECT_CLIENT_ID,
    legacy_subject: `legacy-${randomUUID()}`,
    email: "person@example.com",
    locale: "en",
    correlation_id: randomUUID(),
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await uploadOneFile(request, base, show);
  await notifyOneAddress(request, demo, sinkUrl, show);
  await request("schedule", "POST", "/scheduled-operations", {
    name: "nightly.cleanup", url: "https://example.com/hooks/cleanup", secret: randomUUID() + randomUUID(),
  }); // biome-ignore format: one line
  const { token } = (await ctl(["ads", "decide", "--campaign", demo.CAMPAIGN_ID ?? "", "--format", "display"])) as {
    token: string;
  };
  await request("impression", "POST", "/advertising/viewable-impressions", {
    token, visible_ratio_basis_points: 8_000, duration_milliseconds: 1_500,
  }); // biome-ignore format: one line
  await request("health", "GET", "/health");
}

const arrivalMsMax = 60_000;

type Request = (label: string, method: string, path: string, body?: unknown) => Promise<Reply>;

async function uploadOneFile(request: Request, base: string, show: (line: string) => void): Promise<void> {
  const bytes = Buffer.from("Hello from the demo project.\n");
  const grant = await request("file", "POST", "/file-objects/upload-grants", {
    expected_sha256: createHash("sha256").update(bytes).digest("hex"), expected_content_type: "text/plain", maximum_bytes: bytes.byteLength,
  }); // biome-ignore format: one line
  const upload = await fetch(`${base}/file-uploads/${grant.data.upload_token}`, {
    method: "PUT",
    headers: { "content-type": "text/plain" },
    body: bytes,
  });
  show(`  ${"file".padEnd(14)} PUT /file-uploads/… -> ${upload.status} ${shorten(await upload.text())}`);
  if (!upload.ok) throw new Error(`the upload answered ${upload.status}`);
  await request("file", "POST", `/file-objects/${grant.data.file_object_id}/complete`);
}

async function notifyOneAddress(
  request: Request,
  demo: Demo,
  sinkUrl: string,
  show: (line: string) => void,
): Promise<void> {
  const address = `person-${randomUUID()}@example.com`;
  const endpoint = await request("notification", "POST", "/email-delivery-endpoints", { address });
  await request("notification", "POST", `/email-delivery-endpoints/${endpoint.data.id}/verify`, {
    token: endpoint.data.verification_token,
  });
  const intent = await request("notification", "POST", "/notification-intents", {
    sender_profile_id: demo.SENDER_PROFILE_EMAIL,
    template_key: demo.DEMO_TEMPLATE_EMAIL,
    locale: "en",
    endpoint_id: endpoint.data.id,
    variables: { name: "Ada" },
  });
  const search = `${sinkUrl}/messages?channel=email&to=${encodeURIComponent(address)}`;
  const hasArrived = async (): Promise<boolean> => ((await (await fetch(search)).json()) as unknown[]).length > 0;
  const untilMs = performance.now() + arrivalMsMax;
  while (!(await hasArrived())) {
    if (performance.now() > untilMs) {
      await request("notification", "GET", `/notification-deliveries/${intent.data.delivery_id}`);
      throw new Error(`the email did not arrive within ${arrivalMsMax / 1_000} s`);
    }
    await delay(100);
  }
  await request("notification", "GET", `/notification-deliveries/${intent.data.delivery_id}`);
  show(`  ${"notification".padEnd(14)} the mail is shown at ${sinkUrl}/`);
}

/** Shortens a text to one line, and hides most of each secret. */
function shorten(text: string): string {
  const masked = text.replace(/[0-9a-f]{64}/g, (token) => `${token.slice(0, 6)}…`);
  return masked.length > 150 ? `${masked.slice(0, 150)}…` : masked;
}
