import type { DescService } from "@bufbuild/protobuf";
import type { ServiceClient } from "@platform/kit/rpc/client";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { createCtl } from "./ctl.ts";
import { createProgram } from "./program.ts";
import { UsageError } from "./usage-error.ts";

const bare = await createCtl({ STACK_DIR: "/nonexistent" }, () => ({}));

/** Runs a command with a text on standard input, and returns the requests that it sends. Each call fails. */
async function requestsOf(standardInput: string, args: readonly string[]): Promise<unknown[]> {
  const sent: unknown[] = [];
  const call = async (request: unknown): Promise<never> => {
    sent.push(request);
    throw new Error("no service");
  };
  const connection = () => ({
    ...bare.connection("identity"),
    service: <S extends DescService>() => new Proxy({}, { get: () => call }) as ServiceClient<S>,
  });
  const ctl = { ...bare, connection, readStandardInput: async () => standardInput };
  const program = await createProgram(() => ctl, args);
  await expect(program.parseAsync([...args], { from: "user" })).rejects.toThrow("no service");
  return sent;
}

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

it("reads the headers of an operation from standard input, so that a key is not in the list of processes", async () => {
  const headers = '{"Authorization":"Bearer s3cret"}';
  const [request] = await requestsOf(headers, ["schedules", "set-headers", "--operation", "x", "--headers", "-"]);
  expect(request).toMatchObject({ operationId: "x", headersJson: headers });
});

it("reads an attribution token from standard input, so that it is not in the shell's history", async () => {
  const [request] = await requestsOf("attr_s3cret", ["ads", "attribution", "--token", "-"]);
  expect(request).toEqual({ attributionToken: "attr_s3cret" });
});

it("offers standard input for each secret that a command takes", async () => {
  const leaves = leavesOf(await createProgram(() => bare));
  const asArgumentOnly = leaves.flatMap((command) => {
    const flags = command.options.map((option) => option.flags);
    return flags.filter(
      (flag) =>
        /^--(.*-)?(token|password|secret|config|changes|headers|key)s? </.test(flag) &&
        !/ or (JSON or )?->|, JSON or ->$/.test(flag) &&
        !flags.some((other) => other.endsWith("-stdin") && flag.startsWith(other.replace("-stdin", " "))),
    );
  });
  expect(asArgumentOnly).toEqual([]);
});

it("refuses to read the standard input of an assistant's protocol", async () => {
  const ofAssistant = await bare.forAssistant({ via: "mcp", onlyClientId: null });
  await expect(ofAssistant.readStandardInput()).rejects.toThrow(UsageError);
  ofAssistant.close();
});
