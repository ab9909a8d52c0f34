import type { Command } from "commander";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";

const scripts: Readonly<Record<string, string>> = {
  bash: `_platformctl() {
  COMPREPLY=($(compgen -W "$(platformctl completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _platformctl platformctl
`,
  zsh: `#compdef platformctl
_platformctl() { compadd -- \${(f)"$(platformctl completion words -- "\${(@)words[2,CURRENT-1]}")"} }
compdef _platformctl platformctl
`,
  fish: `complete -c platformctl -f -a '(platformctl completion words -- (commandline -opc)[2..-1])'
`,
};

/** Command `completion`: a shell calls it to get the words that may come next. */
export function registerCompletionCommand(program: Command): void {
  topLevel(program, "completion")
    .argument("<shell>", "bash, zsh or fish")
    .argument("[words...]", "used by the scripts: the words before the one to complete")
    .addHelpText("after", "\nExample:\n  source <(platformctl completion bash)")
    .action((shell: string, words: string[]) => {
      const text = shell === "words" ? wordsAfter(program, words).join("\n") : scripts[shell];
      if (text === undefined) throw new UsageError("completion is available for bash, zsh and fish");
      process.stdout.write(`${text.trimEnd()}\n`);
    });
}

/** Returns the words that may follow the given ones: the commands of their group, and the options of the last command. */
export function wordsAfter(program: Command, words: readonly string[]): string[] {
  let command = program;
  for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command;
  const options = [...command.options, ...program.options]
    .map(({ long }) => long)
    .filter((long) => typeof long === "string");
  return [...command.commands.map((one) => one.name()), ...new Set(options)];
}
