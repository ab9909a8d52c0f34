import { resources } from "@platform/contracts/operator/resources";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { createCtl } from "./ctl.ts";
import { createProgram } from "./program.ts";

/** The full names of a command's last parts, such as `ads keys list`. */
const namesOf = (command: Command): string[] =>
  command.commands.length === 0
    ? [command.name()]
    : command.commands.flatMap((child) => namesOf(child).map((name) => `${command.name()} ${name}`));

it("has the commands of every resource, which its file of commands registers and program.ts names", async () => {
  const ctl = await createCtl({ STACK_DIR: "/nonexistent" }, () => ({}));
  const program = await createProgram(() => ctl);
  const commands = new Set(program.commands.flatMap((command) => namesOf(command)));
  const missing = resources
    .flatMap(({ name, operations }) => operations.map(({ verb }) => `${name} ${verb}`))
    .filter((command) => !commands.has(command));
  expect(missing, "call registerResource, and add the name to its file of commands in program.ts").toEqual([]);
});
