import { once } from "node:events";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import type { Command } from "commander";
import ownPackage from "../../package.json" with { type: "json" };
import type { Ctl } from "../ctl.ts";
import { errorLine } from "../error-line.ts";
import { printableJson } from "../printable.ts";
import type { Assistant } from "../sign-in/authorization.ts";
import { type CommandTool, commandTools, type ToolOptions } from "./command-tools.ts";
import { listDocuments, readDocument } from "./documents.ts";
import { instructionsFor } from "./instructions.ts";

/** The commands of the CLI, which include this one. */
export type Commands = {
  /** Opens all commands with their dependencies. */
  open(ctl: Ctl): Promise<Command>;
  /** Runs a command inside this process and returns the value that it would print with --json. */
  invoke(ctl: Ctl, args: readonly string[]): Promise<unknown>;
};

/** Serves tools and documents on standard input and output until the input ends. */
export async function serveTools(ctl: Ctl, commands: Commands, options: ToolOptions): Promise<void> {
  const server = await createToolServer(ctl, commands, options);
  const ended = once(process.stdin, "end");
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}

/** Creates the server, which is not connected yet. */
async function createToolServer(ctl: Ctl, commands: Commands, options: ToolOptions): Promise<Server> {
  const assistant: Assistant = { via: "mcp", onlyClientId: options.onlyClientId };
  const reading = await ctl.forAssistant(assistant);
  const tools = commandTools(await commands.open(reading), options);
  const validator = new AjvJsonSchemaValidator();
  const server = new Server(
    { name: "platformctl", version: ownPackage.version },
    { capabilities: { tools: {}, resources: {} }, instructions: instructionsFor(options) },
  );
  server.onclose = () => reading.close();
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools.values()].map(({ tool }) => tool) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }) => {
    const found = tools.get(name);
    if (found === undefined) throw new McpError(ErrorCode.InvalidParams, `there is no tool ${name}`);
    if (reading.session.read() === null)
      return refusal("unauthenticated: Nobody is signed in; run platformctl login in a terminal.");
    // The SDK types the schema of a tool more loosely than its validator does.
    const { valid, errorMessage } = validator.getValidator(found.tool.inputSchema as never)(given);
    if (!valid) return refusal(`usage: ${name}: ${errorMessage}`);
    return call(found, given);
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: listDocuments() }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const text = readDocument(uri);
    if (text === null) throw new McpError(ErrorCode.InvalidParams, `there is no document ${uri}`);
    return { contents: [{ uri, mimeType: "text/markdown", text }] };
  });

  async function call(
    { commandLine, isReading }: CommandTool,
    given: Record<string, unknown>,
  ): Promise<CallToolResult> {
    const { reason, ...input } = given;
    // A reason is signed with the assertion, so each call that changes something has an assertion of its own.
    const own = isReading
      ? reading
      : await ctl.forAssistant(assistant, typeof reason === "string" ? reason : undefined);
    try {
      return result(await commands.invoke(own, commandLine(input)));
    } catch (error) {
      return refusal(errorLine(error as Error) ?? "usage: tools do not print help");
    } finally {
      if (own !== reading) own.close();
      // Some commands report their result by the exit code. For a tool, the document contains it.
      process.exitCode = undefined;
    }
  }
  return server;
}

/** Returns the document that a command prints with --json in two forms: as data, and as JSON text. */
function result(document: unknown): CallToolResult {
  const structuredContent = (Array.isArray(document) ? { items: document } : document) as Record<string, unknown>;
  return { content: [{ type: "text", text: printableJson(structuredContent) }], structuredContent };
}

const refusal = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true });
