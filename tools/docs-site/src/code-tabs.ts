/** Titles of tabs by the language of a code block. */
const tabs: Readonly<Record<string, string>> = {
  sh: "curl",
  ts: "TypeScript",
  python: "Python",
  go: "Go",
  java: "Java",
};

const block = /^```([a-z]+)\n[\s\S]*?^```$/gm;

/**
 * Groups code blocks of different languages that follow one another without prose between them into tabs, by VitePress's `code-group`. Viewers of plain
 * Markdown see one block below the other.
 */
export function groupCodeTabs(text: string): string {
  const blocks = [...text.matchAll(block)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    code: match[0],
    language: match[1] ?? "",
  }));
  let grouped = "";
  let end = 0;
  for (let first = 0; first < blocks.length; ) {
    const group = [blocks[first]].filter((one) => one !== undefined);
    for (let next = first + 1; next < blocks.length; next++) {
      const [last, one] = [group.at(-1), blocks[next]];
      if (last === undefined || one === undefined || text.slice(last.end, one.start).trim() !== "") break;
      if (group.some(({ language }) => language === one.language)) break;
      group.push(one);
    }
    first += group.length;
    const [start, last] = [group[0], group.at(-1)];
    if (start === undefined || last === undefined) break;
    if (group.length === 1 || !group.every(({ language }) => language in tabs)) continue;
    const titled = group.map(({ code, language }) =>
      code.replace(/^```[a-z]+/, `\`\`\`${language} [${tabs[language]}]`),
    );
    grouped += `${text.slice(end, start.start)}::: code-group\n\n${titled.join("\n\n")}\n\n:::`;
    end = last.end;
  }
  return grouped + text.slice(end);
}
