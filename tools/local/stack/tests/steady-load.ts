import { createHash, randomUUID } from "node:crypto";

/** Facts about the platform that the load needs. */
type LoadTarget = {
  readonly baseUrl: string;
  readonly credential: string;
  readonly senderProfileId: string;
  readonly templateKey: string;
  readonly endpointId: string;
};

/** A running load. Every request is sent once, and every response that is not a success is recorded. */
export type SteadyLoad = {
  requests(): number;
  readonly failures: readonly string[];
  /** Ids of the events and deliveries that were acknowledged. */
  readonly eventIds: readonly string[];
  readonly deliveryIds: readonly string[];
  /** Stops the load. Resolves once every request in progress has a response. */
  stop(): Promise<void>;
};

/**
 * Sends the load of a few busy project backends to the API until it is stopped: one caller for each kind of request.
 */
export function startSteadyLoad(target: LoadTarget): SteadyLoad {
  const failures: string[] = [];
  const eventIds: string[] = [];
  const deliveryIds: string[] = [];
  let requests = 0;
  let isStopped = false;

  const send = async (method: string, path: string, body?: unknown): Promise<Record<string, string>> => {
    requests += 1;
    const isBytes = body instanceof Uint8Array;
    const response = await fetch(`${target.baseUrl}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${target.credential}`,
        "idempotency-key": randomUUID(),
        ...(body === undefined ? {} : { "content-type": isBytes ? "text/plain" : "application/json" }),
      },
      ...(body === undefined ? {} : { body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`answered ${response.status} ${text}`);
    return (JSON.parse(text) as { data: Record<string, string> }).data;
  };

  const kinds: Readonly<Record<string, () => Promise<void>>> = {
    event: async () => {
      const event = await send("POST", "/domain-events", {
        type: "order.placed",
        schema_version: 1,
        data: { n: requests },
      });
      eventIds.push(event.id ?? "");
    },
    audit: async () => {
      await send("POST", "/project-audits", {
        actor_id: "user-1", action: "document.published", resource_type: "document", resource_id: "d-1", outcome: "succeeded",
      }); // biome-ignore format: one line
    },
    client: async () => void (await send("GET", "/project-client")),
    noop: async () => void (await send("POST", "/noop", { money: { currency: "JPY", minor: 1 } })),
    notification: async () => {
      const intent = await send("POST", "/notification-intents", {
        sender_profile_id: target.senderProfileId,
        template_key: target.templateKey,
        locale: "en",
        endpoint_id: target.endpointId,
        variables: { name: "Ada" },
      });
      deliveryIds.push(intent.delivery_id ?? "");
    },
    upload: async () => {
      const bytes = new Uint8Array(Buffer.from(`file ${randomUUID()}\n`));
      const grant = await send("POST", "/file-objects/upload-grants", {
        expected_sha256: createHash("sha256").update(bytes).digest("hex"),
        expected_content_type: "text/plain",
        maximum_bytes: bytes.byteLength,
      });
      await send("PUT", `/file-uploads/${grant.upload_token}`, bytes);
      await send("POST", `/file-objects/${grant.file_object_id}/complete`);
    },
  };

  const callers = Object.entries(kinds).map(async ([kind, work]) => {
    while (!isStopped) {
      await work().catch((error: Error) => {
        failures.push(
          `${new Date().toISOString()} ${kind}: ${error.message} ${(error.cause as Error | undefined)?.message ?? ""}`,
        );
      });
    }
  });
  return {
    requests: () => requests,
    failures,
    eventIds,
    deliveryIds,
    stop: async () => {
      isStopped = true;
      await Promise.all(callers);
    },
  };
}
