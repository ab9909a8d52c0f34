import { Command } from "commander";
import { expect, it } from "vitest";
import { wordsAfter } from "./completion.ts";

const program = new Command("platformctl").option("--json");
const clients = program.command("clients");
clients.command("list").option("--limit <n>");
clients.command("show").requiredOption("--client <id>");

it("completes groups, then their commands, then the options of the command and of all commands", () => {
  expect(wordsAfter(program, [])).toEqual(["clients", "--json"]);
  expect(wordsAfter(program, ["clients"])).toEqual(["list", "show", "--json"]);
  expect(wordsAfter(program, ["clients", "show", "--client", "x"])).toEqual(["--client", "--json"]);
});
