import { codeGroups } from "./code-blocks.ts";

/**
 * Shows the alternatives of each group of code blocks as tabs, by VitePress's `code-group`. Viewers of plain Markdown see one block below the other.
 */
export function groupCodeTabs(text: string): string {
  let grouped = "";
  let end = 0;
  for (const group of codeGroups(text)) {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined || group.length === 1) continue;
    const titled = group.map(({ language, label, code }) => `\`\`\`${language} [${label}]\n${code}\`\`\``);
    grouped += `${text.slice(end, first.start)}::: code-group\n\n${titled.join("\n\n")}\n\n:::`;
    end = last.end;
  }
  return grouped + text.slice(end);
}
