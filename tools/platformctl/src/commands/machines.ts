import { adServers as adServerTable } from "@platform/contracts/operator/ad-servers";
import { consumers as consumerTable } from "@platform/contracts/operator/consumers";
import { AdServerAdminService } from "@platform/proto/ads/v1/ad_server_admin";
import { ConsumerAdminService } from "@platform/proto/events/v1/consumer_admin";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { registerResource } from "../operator-commands.ts";
import { readInteger } from "../options.ts";
import { topLevel } from "../top-level.ts";

type RotateOptions = { readonly overlapSeconds?: string };

/** Commands `consumers …` and `ad-servers …`, for tokens that permit a machine one kind of call. `issue` and `rotate` print a secret once. */
export function registerMachineCommands(program: Command, ctl: Ctl): void {
  registerConsumerCommands(program, ctl);
  registerAdServerCommands(program, ctl);
}

function registerConsumerCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("events").service(ConsumerAdminService);
  const consumers = topLevel(program, "consumers");
  registerResource(consumers, ctl, consumerTable);

  consumers
    .command("issue")
    .description("Issue a token. It is printed only now.")
    .requiredOption("--client <id>", "Project Client id")
    .option("--name <name>", "description, for example the team or the host", "")
    .action(async ({ client, name }: { client: string; name: string }) => {
      const { consumer, token } = await admin().issueConsumer({ projectClientId: client, name }, ctl.call());
      ctl.print({ id: consumer?.id, token });
    });
  rotateOptions(consumers.command("rotate"))
    .requiredOption("--consumer <id>", "consumer id")
    .action(async (options: RotateOptions & { consumer: string }) => {
      const request = { consumerId: options.consumer, ...overlapOf(options) };
      const { consumer, token } = await admin().rotateConsumer(request, ctl.call());
      ctl.print({ id: consumer?.id, token });
    });
}

function registerAdServerCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("ads").service(AdServerAdminService);
  const adServers = topLevel(program, "ad-servers");
  registerResource(adServers, ctl, adServerTable);

  adServers
    .command("issue")
    .description("Issue a token. It is printed only now.")
    .requiredOption("--campaign <id>", "campaign id")
    .option("--name <name>", "description, for example the team or the host", "")
    .action(async ({ campaign, name }: { campaign: string; name: string }) => {
      const { adServer, token } = await admin().issueAdServer({ campaignId: campaign, name }, ctl.call());
      ctl.print({ id: adServer?.id, token });
    });
  rotateOptions(adServers.command("rotate"))
    .requiredOption("--ad-server <id>", "ad server id")
    .action(async (options: RotateOptions & { adServer: string }) => {
      const request = { adServerId: options.adServer, ...overlapOf(options) };
      const { adServer, token } = await admin().rotateAdServer(request, ctl.call());
      ctl.print({ id: adServer?.id, token });
    });
}

function rotateOptions(command: Command): Command {
  return command
    .description("Issue a new token, which is printed only now. The old token works until the overlap ends.")
    .option("--overlap-seconds <seconds>", "how long the old token still works (default 86400; 0 ends it immediately)");
}

function overlapOf({ overlapSeconds }: RotateOptions): { overlapSeconds?: bigint } {
  return overlapSeconds === undefined
    ? {}
    : { overlapSeconds: BigInt(readInteger("--overlap-seconds", overlapSeconds, 0)) };
}
