import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import type { Commands } from "../mcp/serve-tools.ts";
import { topLevel } from "../top-level.ts";

/** Command `mcp`: offers commands as tools to an assistant. */
export function registerMcpCommand(program: Command, ctl: Ctl, commands: Commands): void {
  topLevel(program, "mcp")
    .option("--client <id>", "limit the tools to the project with this Project Client id")
    .option("--allow-writes", "also offer commands that change something")
    .addHelpText(
      "after",
      `
An assistant starts this command and acts as the person who is signed in, only with their roles and never with OPERATOR_TOKEN. No tool shows a secret
or an address. Changes are recorded as operator actions under the person's name, with "via": "mcp".

Example configuration of an editor:
  {"mcpServers": {"platform": {"command": "platformctl", "args": ["mcp", "--client", "<client id>"]}}}`,
    )
    .action(async ({ client, allowWrites }: { client?: string; allowWrites?: true }) => {
      // Only this command loads the SDK.
      const { serveTools } = await import("../mcp/serve-tools.ts");
      await serveTools(ctl, commands, { onlyClientId: client ?? null, isWriting: allowWrites === true });
    });
}
