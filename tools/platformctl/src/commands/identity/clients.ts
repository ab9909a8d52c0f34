import { scopes } from "@platform/contracts/scopes";
import { defined } from "@platform/kit/process/fields";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { ProjectClient } from "@platform/proto/identity/v1/identity_service";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { limitOption, readLimit } from "../../pages.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";

type UpdateOptions = {
  readonly client: string;
  readonly name?: string;
  readonly returnUri?: string[];
  readonly returnUris: boolean;
  readonly platformEvents?: string;
  readonly allowedScopes?: string;
  readonly successRatio?: string;
};

const pageSize = 500;

/** Commands `clients …`, for the project backends that may call the platform. */
export function registerClientCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("identity").service(ProjectClientAdminService);
  const clients = topLevel(program, "clients");
  const collect = (value: string, earlier: string[] | undefined): string[] => [...(earlier ?? []), value];

  clients
    .command("create")
    .description("Create a project, the API's Project Client. Its environment cannot be changed later.")
    .requiredOption("--name <name>", "name of the project, at most 120 characters")
    .requiredOption("--environment <environment>", "development, sandbox, staging or production")
    .option("--return-uri <uri>", "URI that hosted pages can return to; can be repeated", collect)
    .addHelpText(
      "after",
      `
Return URIs are compared character by character. They must use https, or http on loopback in development and sandbox.

Example:
  platformctl clients create --name "My product" --environment development --return-uri http://127.0.0.1:3000/linked`,
    )
    .action(async (options: { name: string; environment: string; returnUri?: string[] }) => {
      const { name, environment, returnUri } = options;
      const reply = await admin().createProjectClient({ name, environment, returnUris: returnUri ?? [] }, ctl.call());
      const { id, name: made, environment: of, return_uris } = clientForm(reply.projectClient);
      ctl.print({ id, name: made, environment: of, return_uris });
    });

  limitOption(clients.command("list"))
    .description("List all projects, oldest first.")
    .action(async (options: { limit?: string }) => {
      const limit = readLimit(options);
      const all: ProjectClient[] = [];
      while (all.length < limit) {
        const asked = Math.min(pageSize, limit - all.length);
        const reply = await admin().listProjectClients({ afterId: all.at(-1)?.id ?? "", pageSize: asked }, ctl.call());
        all.push(...reply.projectClients);
        if (reply.projectClients.length < asked) break;
      }
      const row = (client: ProjectClient): string =>
        `${client.id}  ${client.environment.padEnd(11)}  ${client.disabled ? "disabled" : "enabled "}  ${client.name}`;
      ctl.print(all.map(clientForm), () => all.map(row).join("\n"));
    });

  clients
    .command("show")
    .description("Show a project.")
    .requiredOption("--client <id>", "Project Client id")
    .action(async (options: { client: string }) => {
      const reply = await admin().showProjectClient({ projectClientId: options.client }, ctl.call());
      printClient(ctl, reply.projectClient);
    });

  clients
    .command("update")
    .description("Change a project. The change takes effect everywhere within two seconds.")
    .requiredOption("--client <id>", "Project Client id")
    .option("--name <name>", "new name")
    .option("--return-uri <uri>", "replaces the whole list; can be repeated", collect)
    .option("--no-return-uris", "remove all return URIs")
    .option("--platform-events <on|off>", "on: the platform publishes its own events to the project's event log")
    .option(
      "--allowed-scopes <scopes>",
      "comma-separated scopes that its credentials can have; existing credentials lose all others",
    )
    .option("--success-ratio <ratio>", "share of successful requests that are logged, from 0 to 1")
    .addHelpText(
      "after",
      `
Developers of the project can also switch platform events, and its owners can also replace the return URIs. All other changes are reserved for operators.

Examples:
  platformctl clients update --client <id> --return-uri https://app.example/linked
  platformctl clients update --client <id> --allowed-scopes events:write,files:read`,
    )
    .action(async (options: UpdateOptions) => {
      const uris = options.returnUris ? options.returnUri : [];
      const { client: projectClientId, name, platformEvents } = options;
      if (platformEvents !== undefined && platformEvents !== "on" && platformEvents !== "off") {
        throw new UsageError("--platform-events takes on or off");
      }
      const allowedScopes = readScopes(options.allowedScopes);
      const successRatio = options.successRatio === undefined ? undefined : readRatio(options.successRatio);
      const isForOperators = name !== undefined || allowedScopes !== undefined || successRatio !== undefined;
      if (!isForOperators && uris === undefined && platformEvents === undefined)
        throw new UsageError("give at least one option to change");
      // Each permission has an RPC of its own, so that members of the project can call those that they may use.
      let changed: { readonly projectClient?: ProjectClient | undefined } = {};
      if (isForOperators)
        changed = await admin().updateProjectClient(
          {
            projectClientId,
            ...defined({ name, successRatio, allowedScopes: allowedScopes && { values: allowedScopes } }),
          },
          ctl.call(),
        );
      if (uris !== undefined) changed = await admin().setReturnUris({ projectClientId, returnUris: uris }, ctl.call());
      if (platformEvents !== undefined)
        changed = await admin().setPlatformEvents({ projectClientId, on: platformEvents === "on" }, ctl.call());
      printClient(ctl, changed.projectClient);
    });

  clients
    .command("disable")
    .description(
      "Disable a project: every request is rejected with 403 project_client_disabled until you enable it again.",
    )
    .requiredOption("--client <id>", "Project Client id")
    .action(async (options: { client: string }) => {
      const reply = await admin().disableProjectClient({ projectClientId: options.client }, ctl.call());
      printClient(ctl, reply.projectClient);
    });

  clients
    .command("enable")
    .description("Enable a disabled project.")
    .requiredOption("--client <id>", "Project Client id")
    .action(async (options: { client: string }) => {
      const reply = await admin().enableProjectClient({ projectClientId: options.client }, ctl.call());
      printClient(ctl, reply.projectClient);
    });
}

/** Reads scopes from a comma-separated list. An empty list allows no scope. */
function readScopes(text: string | undefined): string[] | undefined {
  const named = text
    ?.split(",")
    .map((scope) => scope.trim())
    .filter((scope) => scope !== "");
  const unknown = named?.find((scope) => !(scopes as readonly string[]).includes(scope));
  if (unknown !== undefined) throw new UsageError(`--allowed-scopes takes ${scopes.join(", ")}`);
  return named;
}

function clientForm(client: ProjectClient | undefined) {
  if (client === undefined) throw new Error("identity-svc answered without a Project Client");
  return {
    id: client.id,
    name: client.name,
    environment: client.environment,
    return_uris: client.returnUris,
    disabled: client.disabled,
    platform_events: client.platformEvents ? "on" : "off",
    allowed_scopes: client.allowedScopes?.values ?? [...scopes],
    success_ratio: client.successRatio ?? null,
  };
}

function readRatio(text: string): number {
  if (/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(text)) return Number(text);
  throw new UsageError("--success-ratio takes a number from 0 to 1, such as 0.1");
}

function printClient(ctl: Ctl, client: ProjectClient | undefined): void {
  ctl.print(clientForm(client));
}
