import {
  EndpointAdminService,
  type EndpointEvent,
  type OperatorEndpoint,
} from "@platform/proto/notify/v1/endpoint_admin";
import { NotifyAdminService } from "@platform/proto/notify/v1/notify_admin";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { isoOrNull } from "../options.ts";
import { type PageOptions, pageOptions, printPage, readPage } from "../pages.ts";
import { topLevel } from "../top-level.ts";

/** `endpoints`. */
export function registerEndpointCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("notify").service(EndpointAdminService);
  const endpoints = topLevel(program, "endpoints");
  pageOptions(endpoints.command("list"))
    .description("List a client's endpoints, newest first.")
    .requiredOption("--client <id>", "the Project Client")
    .option("--channel <channel>", "email, fcm, apns, line or web_push")
    .option("--status <status>", "pending, verified, verification_failed, verification_locked or revoked")
    .option("--reveal", "show addresses; asks for --reason")
    .addHelpText("after", "\nExample:\n  platformctl endpoints list --client <client id> --status revoked")
    .action(async (options: PageOptions & { client: string; channel?: string; status?: string; reveal?: true }) => {
      const { client, channel = "", status = "", reveal } = options;
      const { endpoints: found, nextCursor } = await admin().listEndpoints(
        { projectClientId: client, channel, status, ...readPage(options), reveal: reveal === true },
        ctl.call(client),
      );
      printPage(ctl, found.map(toPrint), nextCursor);
    });
  endpoints
    .command("find")
    .description("Find a client's endpoints with one address, of every channel.")
    .requiredOption("--client <id>", "the Project Client")
    .requiredOption("--address <address>", "a mail address, a provider's token, a LINE user ID, or a PushSubscription")
    .option("--reveal", "show addresses; asks for --reason")
    .addHelpText("after", "\nExample:\n  platformctl endpoints find --client <client id> --address ann@people.example")
    .action(async ({ client, address, reveal }: { client: string; address: string; reveal?: true }) => {
      const request = { projectClientId: client, address, reveal: reveal === true };
      const { endpoints: found } = await admin().findEndpoints(request, ctl.call(client));
      printPage(ctl, found.map(toPrint), "");
    });
  endpoints
    .command("show")
    .description("Show an endpoint of any client, and what happened to it.")
    .requiredOption("--endpoint <id>", "the Delivery Endpoint")
    .option("--reveal", "show its address; asks for --reason")
    .action(async ({ endpoint: endpointId, reveal }: { endpoint: string; reveal?: true }) => {
      const { endpoint, history } = await admin().getEndpoint({ endpointId, reveal: reveal === true }, ctl.call());
      if (endpoint === undefined) throw new Error("notify-svc answered without an endpoint");
      ctl.print({ ...toPrint(endpoint), history: history.map(eventToPrint) });
    });
  endpoints
    .command("revoke")
    .description("Revoke an endpoint: consents are withdrawn, nothing more is sent to it; asks for --reason.")
    .requiredOption("--endpoint <id>", "the Delivery Endpoint")
    .addHelpText(
      "after",
      '\nExample:\n  platformctl endpoints revoke --endpoint <id> --reason "asked by mail, case 4712"',
    )
    .action(async ({ endpoint: endpointId }: { endpoint: string }) => {
      const { endpoint } = await admin().revokeEndpoint({ endpointId }, ctl.call());
      if (endpoint === undefined) throw new Error("notify-svc answered without an endpoint");
      ctl.print(toPrint(endpoint));
    });
  endpoints
    .command("restore-consent")
    .description("Give back consent that was withdrawn, as its owner asked; asks for --reason.")
    .requiredOption("--endpoint <id>", "the Delivery Endpoint")
    .requiredOption("--purpose <purpose>", "what the consent is for")
    .addHelpText(
      "after",
      '\nExample:\n  platformctl endpoints restore-consent --endpoint <id> --purpose news --reason "asked by phone, case 4711"',
    )
    .action(async ({ endpoint: endpointId, purpose }: { endpoint: string; purpose: string }) => {
      const { endpoint } = await admin().restoreConsent({ endpointId, purpose }, ctl.call());
      if (endpoint === undefined) throw new Error("notify-svc answered without an endpoint");
      ctl.print(toPrint(endpoint));
    });
  endpoints
    .command("link-line")
    .description("Link a LINE user as a verified endpoint; linking the same one again answers the same id.")
    .requiredOption("--client <id>", "the Project Client")
    .requiredOption("--user-id <id>", "the LINE user ID: U and 32 hex characters")
    .addHelpText(
      "after",
      "\nExample:\n  platformctl endpoints link-line --client <client id> --user-id U4af4980629f8a1e3b8c2d5e6f7a8b9c0",
    )
    .action(async ({ client, userId }: { client: string; userId: string }) => {
      const { id } = await ctl
        .connection("notify")
        .service(NotifyAdminService)
        .linkLineEndpoint({ projectClientId: client, userId }, ctl.call(client));
      ctl.print({ id });
    });
}

function toPrint(endpoint: OperatorEndpoint) {
  return {
    id: endpoint.id,
    channel: endpoint.channel,
    status: endpoint.status,
    address_hint: endpoint.addressHint,
    ...(endpoint.address === undefined ? {} : { address: endpoint.address }),
    verified_at: isoOrNull(endpoint.verifiedAt),
    consents: endpoint.consents.map(({ purpose, granted }) => ({ purpose, granted })),
    created_at: isoOrNull(endpoint.createdAt),
    last_error_code: endpoint.lastErrorCode ?? null,
  };
}

function eventToPrint(event: EndpointEvent) {
  return {
    at: isoOrNull(event.at),
    what: event.what,
    by: event.by,
    purpose: event.purpose ?? null,
    detail: event.detail ?? null,
    correlation_id: event.correlationId ?? null,
    delivery_id: event.deliveryId ?? null,
  };
}
