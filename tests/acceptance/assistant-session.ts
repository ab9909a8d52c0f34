import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { repositoryRoot } from "@platform/stack/stack";
import { acceptanceStack } from "./stack.ts";

type Result = { readonly structuredContent: any; readonly text: string; readonly isError: boolean };

/**
 * A session of an assistant with `platformctl mcp`, through the client of the MCP SDK over standard input and output.
 */
export type AssistantSession = {
  readonly client: Client;
  tools(): Promise<Tool[]>;
  call(name: string, input?: Record<string, unknown>): Promise<Result>;
  close(): Promise<void>;
};

/** @param home home directory with the stored sign-in */
export async function startAssistant(home: string, args: readonly string[] = []): Promise<AssistantSession> {
  const client = new Client({ name: "test-editor", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(repositoryRoot, "tools/platformctl/bin/platformctl.js"), "mcp", ...args],
    // An assistant must not use an operator token of the environment.
    env: {
      PATH: process.env.PATH ?? "",
      STACK_DIR: acceptanceStack.directory,
      PLATFORMCTL_HOME: home,
      OPERATOR_TOKEN: "of-the-environment",
    },
  });
  await client.connect(transport);
  return {
    client,
    tools: async () => (await client.listTools()).tools,
    call: async (name, input = {}) => {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: input });
      const [first] = content as { text: string }[];
      return { structuredContent, text: first?.text ?? "", isError: isError === true };
    },
    close: () => client.close(),
  };
}
