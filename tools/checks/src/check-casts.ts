import { parseSync, Visitor } from "oxc-parser";
import { readSource, repositoryFiles, sourceFiles } from "./source-files.ts";

/**
 * Returns casts without a reason, and conditional fields that `defined` could replace, in the repository, one line
 * each.
 */
export function checkCasts(): string[] {
  const withDefined = repositoryFiles()
    .filter((path) => /^(apps|libs|tools)\/.*package\.json$/.test(path) && readSource(path).includes('"@platform/kit"'))
    .map((path) => path.slice(0, -"package.json".length));
  return sourceFiles().flatMap((path) => {
    const text = readSource(path);
    const isProduct = !/\.test\.ts$|\/tests?\/|^tests\//.test(path);
    return [
      ...castProblems(path, text, isProduct),
      ...(withDefined.some((folder) => path.startsWith(folder)) ? conditionalFieldProblems(path, text) : []),
    ];
  });
}

/**
 * Rejects `as never`, which silences the compiler completely. In product code, a comment directly above the statement may explain why the type cannot be
 * written. A test has no such exception, because each reason that a test had has a typed form.
 */
export function castProblems(path: string, text: string, isProduct: boolean): string[] {
  if (!text.includes("as never")) return [];
  const { program, comments } = parseSync(path, text);
  const lineOf = (offset: number): number => text.slice(0, offset).split("\n").length;
  const explained = new Set(comments.map(({ end }) => lineOf(end) + 1));
  const problems: string[] = [];
  new Visitor({
    TSAsExpression: ({ end, typeAnnotation }) => {
      if (typeAnnotation.type !== "TSNeverKeyword") return;
      const line = lineOf(end);
      if (!isProduct) problems.push(`${path}:${line}: casts to never; ${instead}`);
      else if (!explained.has(line) && !explained.has(line - 1))
        problems.push(
          `${path}:${line}: casts to never; give the value its type, or say in a comment above why that is impossible`,
        );
    },
  }).visit(program);
  return problems;
}

const instead =
  "write onlyWith({ … }) for a part of a dependency, collection<StoredDocument>(…) or untypedCollection(model) for documents, and @ts-expect-error with the reason for a wrong value";

/** Rejects `x === undefined ? {} : { a: x }` and similar forms, in favour of `defined({ a: x })`. */
export function conditionalFieldProblems(path: string, text: string): string[] {
  if (!/\{\} :|: \{\}/.test(text)) return [];
  const starts: number[] = [];
  new Visitor({
    ConditionalExpression: ({ start, test, consequent, alternate }) => {
      if (test.type !== "BinaryExpression" || !/^[!=]==?$/.test(test.operator)) return;
      const absent = text.slice(test.right.start, test.right.end);
      if (absent !== "null" && absent !== "undefined") return;
      const [none, some] = test.operator.startsWith("!") ? [alternate, consequent] : [consequent, alternate];
      if (none.type !== "ObjectExpression" || none.properties.length > 0 || some.type !== "ObjectExpression") return;
      const [field] = some.properties;
      if (some.properties.length !== 1 || field?.type !== "Property") return;
      if (text.slice(field.value.start, field.value.end) === text.slice(test.left.start, test.left.end))
        starts.push(start);
    },
  }).visit(parseSync(path, text).program);
  return starts.map((start) => {
    const line = text.slice(0, start).split("\n").length;
    return `${path}:${line}: leaves out a field without a value; write defined({ … }) of @platform/kit/process/fields`;
  });
}
