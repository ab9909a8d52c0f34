import type { DescService } from "@bufbuild/protobuf";
import type { ServiceClient } from "@platform/kit/rpc/client";
import { type Command, CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { createCtl } from "./ctl.ts";
import { errorLine } from "./error-line.ts";
import { createProgram } from "./program.ts";
import { UsageError } from "./usage-error.ts";

class Called extends Error {}
const called = (): never => {
  throw new Called();
};
const bare = await createCtl({ STACK_DIR: "/nonexistent" }, () => ({}));
/** Creates a connection on which every call throws `Called`. */
const connection = () => ({
  ...bare.connection("identity"),
  service: <S extends DescService>() => new Proxy({}, { get: () => called }) as ServiceClient<S>,
});
const ctl = { ...bare, connection, consumerConnection: connection, signInConnection: connection };

type Leaf = { readonly path: readonly string[]; readonly command: Command };
const leavesOf = (command: Command, path: readonly string[]): Leaf[] =>
  command.commands.length === 0
    ? [{ path, command }]
    : command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
const leaves = leavesOf(await createProgram(() => ctl), []);

/** Returns the error with which a command line fails, or null if it succeeds. */
const errorOf = (args: readonly string[]): Promise<unknown> =>
  createProgram(() => ctl, args)
    .then((program) => program.parseAsync([...args], { from: "user" }))
    .then(
      () => null,
      (error: unknown) => error,
    );

/** Returns a sample value for an option that the parser of the command line accepts. */
function sampleOf(name: string, placeholder: string): string {
  if (/^<(n|seconds|amount|pixels|position|seq|limit|1-100)>$/.test(placeholder)) return "5";
  if (placeholder === "<time>") return "2027-01-31T09:00:00Z";
  return (
    {
      "--status": "failed",
      "--platform-events": "on",
      "--by": "day",
      "--format": "webp",
      "--config": "{}",
      "--kind": "deliveries",
      "--scopes": "events:write",
    }[name] ?? "x"
  );
}

/** Additional options that a command needs besides its required ones. */
const oneOfTwo: Readonly<Record<string, readonly string[]>> = {
  "deliveries retry": ["--client", "x", "--status", "failed", "--since", "2h"],
};

const given = (command: Command, but: string): string[] =>
  command.options
    .filter((option) => option.mandatory && option.long !== but)
    .flatMap((option) => {
      const name = option.long ?? "";
      return [name, sampleOf(name, /<.*>/.exec(option.flags)?.[0] ?? "")];
    });

describe.each(leaves.map(({ path, command }) => [path.join(" "), path, command] as const))(
  "%s",
  (_name, path, command) => {
    it("refuses an unknown flag in one line", async () => {
      const error = await errorOf([...path, "--no-such-flag", ...given(command, "")]);
      expect(error).toBeInstanceOf(CommanderError);
      expect(errorLine(error as Error)).toMatch(/^usage: [^\n]+$/);
    });

    it("refuses to run without a required option, in one line that names it", async () => {
      for (const option of command.options.filter(({ mandatory }) => mandatory)) {
        const error = await errorOf([...path, ...given(command, option.long ?? "")]);
        expect(errorLine(error as Error)).toMatch(new RegExp(`^usage: [^\n]*${option.long}[^\n]*$`));
      }
    });

    it("refuses an invalid number or time in one line that names the option", async () => {
      for (const { long, flags } of command.options) {
        const name = long ?? "";
        if (!/<(n|seconds|amount|pixels|position|seq|limit|1-100|time)>/.test(flags)) continue;
        const error = await errorOf([...path, ...given(command, name), ...(oneOfTwo[path.join(" ")] ?? []), name, "-"]);
        expect(error, `${path.join(" ")} ${name} -`).not.toBeInstanceOf(Called);
        expect(error instanceof UsageError || error instanceof CommanderError, String(error)).toBe(true);
        expect(errorLine(error as Error)).toMatch(new RegExp(`^usage: [^\n]*${name}[^\n]*$`));
      }
    });
  },
);

it("prints a multi-line error as one line", () => {
  expect(errorLine(new Error("catalog.yaml: bad\n  at line 2\n"))).toBe("catalog.yaml: bad at line 2");
});
