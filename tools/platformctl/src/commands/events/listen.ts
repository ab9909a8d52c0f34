import { randomBytes } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { signatureHeaders, toCloudEvent } from "@platform/kit/web/webhooks";
import type { DomainEvent } from "@platform/proto/events/v1/events_service";
import { PlatformEventAdminService } from "@platform/proto/events/v1/platform_event_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";
import { envelope } from "./event-envelope.ts";
import { followEvents, stopOnSignal } from "./follow-events.ts";

const answerMs = 15_000;

/** Commands `listen` and `trigger`, for events on a developer's machine. */
export function registerListenCommands(program: Command, ctl: Ctl): void {
  topLevel(program, "listen")
    .requiredOption("--client <id>", "Project Client id")
    .requiredOption("--types <types>", "comma-separated: *, a prefix such as order.*, or a type such as order.placed")
    .requiredOption("--forward-to <url>", "http or https URL")
    .addHelpText(
      "after",
      `
The first line is {"secret":"whsec_…"}: the secret that signs the calls. One line for each call follows. If CONSUMER_TOKEN is set, you do not have to sign in.

Example:
  platformctl listen --client <id> --types 'order.*,platform.*' --forward-to http://localhost:3000/hooks`,
    )
    .action(async (options: { client: string; types: string; forwardTo: string }) => {
      const types = options.types
        .split(",")
        .map((type) => type.trim())
        .filter((type) => type !== "");
      if (types.length === 0) throw new UsageError("--types takes at least one type");
      const url = URL.parse(options.forwardTo);
      if (url === null || !/^https?:$/.test(url.protocol))
        throw new UsageError("--forward-to takes an http or https url");
      const secret = `whsec_${randomBytes(32).toString("base64")}`;
      ctl.printLine({ secret });
      const following = { client: options.client, from: undefined, types, limit: Number.POSITIVE_INFINITY };
      await followEvents(ctl, following, stopOnSignal(), async (position, event) => {
        const answer = await forward(url, secret, position, event);
        ctl.printLine({ position, id: event.id, type: event.type, ...answer });
      });
    });

  topLevel(program, "trigger")
    .argument("<type>", "such as platform.file_object.rejected")
    .requiredOption("--client <id>", "Project Client id")
    .addHelpText("after", "\nExample:\n  platformctl trigger platform.file_object.rejected --client <id>")
    .action(async (type: string, { client }: { client: string }) => {
      const admin = ctl.connection("events").service(PlatformEventAdminService);
      const { event } = await admin.triggerPlatformEvent({ projectClientId: client, type }, ctl.call());
      if (event === undefined) throw new Error("events-svc answered without an event");
      ctl.print(envelope(event));
    });
}

/** Sends one call, as a worker of events-svc does, but without retries, because the developer sees the result. */
async function forward(
  url: URL,
  secret: string,
  position: number,
  event: DomainEvent,
): Promise<{ status_code: number | null; error: string | null }> {
  const body = toCloudEvent({
    position,
    event: {
      id: event.id,
      project_client_id: event.projectClientId,
      type: event.type,
      schema_version: event.schemaVersion,
      data_json: event.dataJson,
      stream_id: event.streamId ?? null,
      sequence: event.sequence === undefined ? null : Number(event.sequence),
      occurred_at: event.occurredAt === undefined ? null : timestampDate(event.occurredAt),
      published_at: event.publishedAt === undefined ? new Date() : timestampDate(event.publishedAt),
      origin: event.origin === "platform" ? "platform" : "client",
    },
  });
  const headers = {
    "content-type": "application/cloudevents+json",
    ...signatureHeaders([secret], event.id, new Date(), body),
  };
  try {
    const signal = AbortSignal.timeout(answerMs);
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    await response.body?.cancel();
    return { status_code: response.status, error: null };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return { status_code: null, error: cause?.code ?? message };
  }
}
