import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import type { Commands } from "../mcp/serve-tools.ts";
import { topLevel } from "../top-level.ts";

/** `mcp`: commands as tools of an assistant. */
export function registerMcpCommand(program: Command, ctl: Ctl, commands: Commands): void {
  topLevel(program, "mcp")
    .option("--client <id>", "the only Project Client that the tools know")
    .option("--allow-writes", "also offer the commands that change something")
    .addHelpText(
      "after",
      `
An assistant starts it and calls for the person who is signed in, with their roles alone and never with OPERATOR_TOKEN. No tool shows a secret or an address.
What a tool changes stands in the operators' record under the person's name, with "via": "mcp".

Example of an editor's configuration:
  {"mcpServers": {"platform": {"command": "platformctl", "args": ["mcp", "--client", "<client id>"]}}}`,
    )
    .action(async ({ client, allowWrites }: { client?: string; allowWrites?: true }) => {
      // The SDK is loaded by this command alone.
      const { serveTools } = await import("../mcp/serve-tools.ts");
      await serveTools(ctl, commands, { onlyClientId: client ?? null, isWriting: allowWrites === true });
    });
}
