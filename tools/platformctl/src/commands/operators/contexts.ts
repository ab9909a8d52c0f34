import type { Command } from "commander";
import { contextSettings, readContexts, settingsOfContext, writeContexts } from "../../contexts.ts";
import type { Ctl } from "../../ctl.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";

/** Commands `contexts …`, for the platforms whose settings an operator has stored. */
export function registerContextCommands(program: Command, ctl: Ctl): void {
  const contexts = topLevel(program, "contexts");

  contexts
    .command("list")
    .description("List the contexts.")
    .action(() => {
      const { current, contexts: known } = readContexts(ctl.home);
      ctl.print(Object.entries(known).map(([name, set]) => ({ name, current: name === current, settings: set })));
    });

  contexts
    .command("set")
    .description("Create a context, or change some of its settings.")
    .argument("<name>", "name of letters, digits, . _ and -")
    .argument("<setting...>", `NAME=value of ${contextSettings.join(", ")}`)
    .addHelpText(
      "after",
      "\nExample:\n  platformctl contexts set production IDENTITY_GRPC=identity.example:8090 GRPC_TLS_CA=ca.crt GRPC_TLS_CERT=me.crt GRPC_TLS_KEY=me.key",
    )
    .action((name: string, settings: string[]) => {
      if (!/^[\w.-]{1,60}$/.test(name))
        throw new UsageError("the name of a context can only contain letters, digits, . _ and -");
      const all = readContexts(ctl.home);
      const own = { ...all.contexts[name], ...Object.fromEntries(settings.map(readSetting)) };
      writeContexts(ctl.home, { ...all, contexts: { ...all.contexts, [name]: own } });
      ctl.print({ name, settings: own });
    });

  contexts
    .command("use")
    .description("Set the context that is used without --context.")
    .argument("<name>", "name of the context")
    .action((name: string) => {
      settingsOfContext(ctl.home, name);
      writeContexts(ctl.home, { ...readContexts(ctl.home), current: name });
      ctl.print({ current: name });
    });

  contexts
    .command("delete")
    .description("Delete a context.")
    .argument("<name>", "name of the context")
    .action((name: string) => {
      settingsOfContext(ctl.home, name);
      const { current, contexts: known } = readContexts(ctl.home);
      const { [name]: _gone, ...left } = known;
      writeContexts(ctl.home, { ...(current === undefined || current === name ? {} : { current }), contexts: left });
      ctl.print({ name, deleted: true });
    });
}

function readSetting(text: string): [string, string] {
  const [, name, value] = /^([A-Z_]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined || !(contextSettings as readonly string[]).includes(name)) {
    throw new UsageError(`${text}: expected NAME=value of ${contextSettings.join(", ")}`);
  }
  return [name, value];
}
