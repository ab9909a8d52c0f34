import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { AdServerAdminService } from "@platform/proto/ads/v1/ad_server_admin";
import { ConsumerAdminService } from "@platform/proto/events/v1/consumer_admin";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { isoOrNull, readInteger } from "../options.ts";
import { type PageOptions, pageOptions, printPage, readPage } from "../pages.ts";
import { topLevel } from "../top-level.ts";

type RotateOptions = { readonly overlapSeconds?: string };

/** `consumers …` and `ad-servers …`: narrow tokens of machines. */
export function registerMachineCommands(program: Command, ctl: Ctl): void {
  registerConsumerCommands(program, ctl);
  registerAdServerCommands(program, ctl);
}

function registerConsumerCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("events").service(ConsumerAdminService);
  const consumers = topLevel(program, "consumers");

  consumers
    .command("issue")
    .description("Issue a token. It is printed once.")
    .requiredOption("--client <id>", "Project Client id")
    .option("--name <name>", "for people", "")
    .action(async ({ client, name }: { client: string; name: string }) => {
      const { consumer, token } = await admin().issueConsumer({ projectClientId: client, name }, ctl.call());
      ctl.print({ id: consumer?.id, token });
    });
  pageOptions(consumers.command("list"))
    .description("List a client's consumers, oldest first.")
    .requiredOption("--client <id>", "Project Client id")
    .action(async (options: PageOptions & { client: string }) => {
      const request = { projectClientId: options.client, ...readPage(options) };
      const reply = await admin().listConsumers(request, ctl.call());
      const rows = reply.consumers.map((consumer) => ({
        ...machineRow(consumer),
        project_client_id: consumer.projectClientId,
        position: consumer.position === undefined ? null : Number(consumer.position),
        lag: Number(consumer.lag ?? 0),
      }));
      printPage(ctl, rows, reply.nextCursor);
    });
  rotateOptions(consumers.command("rotate"))
    .requiredOption("--consumer <id>", "consumer id")
    .action(async (options: RotateOptions & { consumer: string }) => {
      const request = { consumerId: options.consumer, ...overlapOf(options) };
      const { consumer, token } = await admin().rotateConsumer(request, ctl.call());
      ctl.print({ id: consumer?.id, token });
    });
  consumers
    .command("revoke")
    .description("End a consumer's tokens now; a stream that is open ends within a second.")
    .requiredOption("--consumer <id>", "consumer id")
    .action(async ({ consumer }: { consumer: string }) => {
      const reply = await admin().revokeConsumer({ consumerId: consumer }, ctl.call());
      ctl.print({ ...machineRow(reply.consumer), project_client_id: reply.consumer?.projectClientId });
    });
}

function registerAdServerCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("ads").service(AdServerAdminService);
  const adServers = topLevel(program, "ad-servers");

  adServers
    .command("issue")
    .description("Issue a token. It is printed once.")
    .requiredOption("--campaign <id>", "campaign id")
    .option("--name <name>", "for people", "")
    .action(async ({ campaign, name }: { campaign: string; name: string }) => {
      const { adServer, token } = await admin().issueAdServer({ campaignId: campaign, name }, ctl.call());
      ctl.print({ id: adServer?.id, token });
    });
  pageOptions(adServers.command("list"))
    .description("List ad servers, oldest first.")
    .option("--campaign <id>", "only those of this campaign")
    .action(async (options: PageOptions & { campaign?: string }) => {
      const { campaign } = options;
      const request = { ...readPage(options), ...(campaign === undefined ? {} : { campaignId: campaign }) };
      const reply = await admin().listAdServers(request, ctl.call());
      const rows = reply.adServers.map((adServer) => ({ ...machineRow(adServer), campaign_id: adServer.campaignId }));
      printPage(ctl, rows, reply.nextCursor);
    });
  rotateOptions(adServers.command("rotate"))
    .requiredOption("--ad-server <id>", "ad server id")
    .action(async (options: RotateOptions & { adServer: string }) => {
      const request = { adServerId: options.adServer, ...overlapOf(options) };
      const { adServer, token } = await admin().rotateAdServer(request, ctl.call());
      ctl.print({ id: adServer?.id, token });
    });
  adServers
    .command("revoke")
    .description("End an ad server's tokens now.")
    .requiredOption("--ad-server <id>", "ad server id")
    .action(async (options: { adServer: string }) => {
      const reply = await admin().revokeAdServer({ adServerId: options.adServer }, ctl.call());
      ctl.print({ ...machineRow(reply.adServer), campaign_id: reply.adServer?.campaignId });
    });
}

function rotateOptions(command: Command): Command {
  return command
    .description("Issue a new token; the one before lives for an overlap. It is printed once.")
    .option(
      "--overlap-seconds <seconds>",
      "how long the one before goes on working (default 86400; 0 ends it at once)",
    );
}

function overlapOf({ overlapSeconds }: RotateOptions): { overlapSeconds?: bigint } {
  return overlapSeconds === undefined
    ? {}
    : { overlapSeconds: BigInt(readInteger("--overlap-seconds", overlapSeconds, 0)) };
}

type MachineMessage = {
  readonly id: string;
  readonly name: string;
  readonly createdAt?: Timestamp | undefined;
  readonly revokedAt?: Timestamp | undefined;
};

function machineRow(machine: MachineMessage | undefined) {
  if (machine === undefined) throw new Error("the service answered without the machine");
  const { id, name, createdAt, revokedAt } = machine;
  return { id, name, created_at: isoOrNull(createdAt), revoked_at: isoOrNull(revokedAt) };
}
