import { endpoints } from "@platform/contracts/operator/endpoints";
import { rowOf } from "@platform/contracts/operator/row-values";
import { EndpointAdminService, OperatorEndpointSchema } from "@platform/proto/notify/v1/endpoint_admin";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { registerResource } from "../operator-commands.ts";
import { printPage } from "../pages.ts";
import { topLevel } from "../top-level.ts";

/** `endpoints`. */
export function registerEndpointCommands(program: Command, ctl: Ctl): void {
  const group = topLevel(program, "endpoints");
  registerResource(group, ctl, endpoints);
  group
    .command("find")
    .description("Find the endpoints of a project that have this address, of all channels.")
    .requiredOption("--client <id>", "Project Client id")
    .requiredOption("--address <address>", "email address, device token, LINE user ID or PushSubscription")
    .option("--reveal", "show full addresses; requires --reason")
    .addHelpText("after", "\nExample:\n  platformctl endpoints find --client <client id> --address ann@people.example")
    .action(async ({ client, address, reveal }: { client: string; address: string; reveal?: true }) => {
      const admin = ctl.connection("notify").service(EndpointAdminService);
      const request = { projectClientId: client, address, reveal: reveal === true };
      const { endpoints: found } = await admin.findEndpoints(request, ctl.call(client));
      printPage(
        ctl,
        found.map((endpoint) => rowOf(OperatorEndpointSchema, endpoints.columns, endpoint)),
        "",
      );
    });
}
