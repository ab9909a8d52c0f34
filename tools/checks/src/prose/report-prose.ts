import { warningMark } from "../nx/marked-lines.ts";
import { isGenerated, readSource, repositoryFiles, sourceFiles } from "../source-files.ts";
import { findDoubtfulWords } from "./find-doubtful-words.ts";

// Prints the doubtful words in documents and comments: with --all every place, otherwise one warning with the number of uses of each word. `make check` shows
// the warning and never fails because of it.

const documents = repositoryFiles().filter(
  (path) => path.endsWith(".md") && !isGenerated(path) && !/CHANGELOG|^\.changeset\/|\/reports?[/.]/.test(path),
);
const counts = new Map<string, number>();
for (const path of [...documents, ...sourceFiles()]) {
  for (const { place, word, instead } of await findDoubtfulWords(path, readSource(path))) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    if (process.argv.includes("--all")) console.log(`${place}: ${word}: ${instead}`);
  }
}
const listed = [...counts].sort(([, a], [, b]) => b - a).map(([word, count]) => `${word} ${count}`);
if (listed.length > 0) {
  console.log(`${warningMark}words to reconsider (npm run prose lists the places): ${listed.join(", ")}`);
}
