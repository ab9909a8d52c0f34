import { createCtl } from "@platform/platformctl/ctl";
import { createProgram } from "@platform/platformctl/program";
import type { SitePage } from "./site-pages.ts";

type Command = Awaited<ReturnType<typeof createProgram>>;

/** Creates one page for each group of commands, with the help of every command from the program itself. */
export async function cliPages(): Promise<SitePage[]> {
  const ctl = await createCtl({ STACK_DIR: "/nonexistent" }, () => ({}));
  const program = await createProgram(() => ctl);
  const groups = program.commands.filter((command) => command.name() !== "help");
  const index = groups.map(
    (group) => `| [\`${group.name()}\`](./${group.name()}.md) | ${group.summary() || group.description()} |`,
  );
  return [
    page("cli/index.md", "CLI reference", [
      "`platformctl` operates the platform from a terminal. See [how to install and configure it](../platformctl.md).",
      block(program),
      `| command | purpose |\n|---|---|\n${index.join("\n")}`,
    ]),
    ...groups.map((group) => {
      const leaves = leavesOf(group);
      const sections = leaves.map(({ path, command }) => `## platformctl ${path}\n\n${block(command)}`);
      const [only] = leaves;
      if (leaves.length === 1 && only?.command === group)
        return page(`cli/${group.name()}.md`, group.name(), [block(group)]);
      return page(`cli/${group.name()}.md`, group.name(), [`${group.description()}`, ...sections]);
    }),
  ];
}

function leavesOf(command: Command, path = command.name()): { readonly path: string; readonly command: Command }[] {
  const children = command.commands.filter((child) => child.name() !== "help");
  if (children.length === 0) return [{ path, command }];
  return children.flatMap((child) => leavesOf(child, `${path} ${child.name()}`));
}

/** Returns the help of a command as a terminal shows it, including examples. */
function block(command: Command): string {
  const help: string[] = [];
  command.configureOutput({ writeOut: (part) => void help.push(part), getOutHelpWidth: () => 100 });
  command.outputHelp();
  return `\`\`\`text\n${help.join("").trim()}\n\`\`\``;
}

function page(path: string, title: string, parts: readonly string[]): SitePage {
  return { path, source: null, title, text: `# ${title}\n\n${parts.join("\n\n")}\n` };
}
