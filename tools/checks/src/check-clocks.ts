import { parseSync, Visitor } from "oxc-parser";
import { isDatabaseReading, isDateNow, isNewDate, isReading, type Readings, readingsOf } from "./clock-readings.ts";
import { readSource, sourceFiles } from "./source-files.ts";

/** Operators with which code computes a wait or a duration from a time. */
const measuring = ["-", "+", "<", "<=", ">", ">="];
const mark = /\bwall[ -]clock\b/i;

/** Returns uses of the machine's clock for waits and durations in the repository, one line each. */
export function checkClocks(): string[] {
  return sourceFiles()
    .filter((path) => !/\.test\.ts$|\/tests?\/|^tests\//.test(path))
    .flatMap((path) => clockProblems(path, readSource(path)));
}

type Range = { readonly start: number; readonly end: number };
type Variable = { readonly name: string; readonly start: number; readonly scope: Range };

/**
 * Rejects readings of the machine's clock (`Date.now()`, `+new Date()` and the like) in code that measures or waits: in sums, differences and comparisons,
 * also by way of a variable, and in variables named after a start or an end. It rejects `Date.now` as a value, because a function that receives a clock
 * compares its readings. The machine's clock may jump: if it is set back by a minute, a wait takes a minute longer. A sum that becomes a Date is a point in
 * time that another program reads, so it may use the clock. The database's clock jumps when another member becomes primary, so two of its readings must not
 * be compared with each other, but only with times from the database. A line whose comment explains why it needs the wall clock may do so, too.
 */
export function clockProblems(path: string, text: string): string[] {
  if (!/Date|clock/.test(text)) return [];
  const { program } = parseSync(path, text);
  const lines = text.split("\n");
  const lineOf = (start: number): number => text.slice(0, start).split("\n").length;
  const isExplained = (start: number): boolean =>
    mark.test(lines.slice(Math.max(0, lineOf(start) - 3), lineOf(start)).join("\n"));
  const starts = new Set<number>();
  const measuredNames = new Map<number, string>();
  // A Date, or a number of seconds since the epoch, is a point in time that another program reads.
  const moments = new Set<number>();
  const scopes: Range[] = [program];
  const variables: Variable[] = [];
  const databaseVariables: Variable[] = [];
  const comparisons: { readonly start: number; readonly sides: readonly Readings[] }[] = [];
  const called = new Set<unknown>();

  const found = (node: unknown): void => {
    const { clock, names } = readingsOf(node);
    for (const start of clock) starts.add(start);
    for (const { name, start } of names) measuredNames.set(start, name);
  };
  const isMomentFor = (node: unknown): void => {
    const { clock, names } = readingsOf(node);
    for (const start of [...clock, ...names.map((name) => name.start)]) moments.add(start);
  };
  const holds = (name: string, { start, end }: Range, init: unknown): void => {
    const inside = scopes.filter((scope) => scope.start <= start && end <= scope.end);
    const scope = inside.toSorted((a, b) => a.end - a.start - (b.end - b.start))[0] ?? program;
    if (isReading(init) || isNewDate(init)) variables.push({ name, start, scope });
    if (isDatabaseReading(init)) databaseVariables.push({ name, start, scope });
  };
  const isScope = (node: Range): void => {
    scopes.push(node);
  };
  new Visitor({
    FunctionDeclaration: isScope,
    FunctionExpression: isScope,
    BlockStatement: isScope,
    ArrowFunctionExpression: (node) => {
      isScope(node);
      if (isReading(node.body)) starts.add(node.body.start);
    },
    CallExpression: (node) => {
      called.add(node.callee);
    },
    MemberExpression: (node) => {
      if (isDateNow(node) && !called.has(node)) starts.add(node.start);
    },
    BinaryExpression: (node) => {
      if (measuring.includes(node.operator)) {
        found(node);
        comparisons.push({ start: node.start, sides: [readingsOf(node.left), readingsOf(node.right)] });
        for (const side of [node.left, node.right]) if (isNewDate(side)) starts.add(side.start);
      }
      if (node.operator === "/") isMomentFor(node.left);
    },
    NewExpression: (node) => {
      if (node.callee.type === "Identifier" && node.callee.name === "Date") isMomentFor(node.arguments);
    },
    AssignmentPattern: (node) => {
      if (node.left.type === "Identifier") holds(node.left.name, node, node.right);
    },
    VariableDeclarator: (node) => {
      if (node.id.type === "ObjectPattern" && node.init?.type === "Identifier" && node.init.name === "Date")
        starts.add(node.start);
      if (node.id.type !== "Identifier") return;
      if (isMoment(node.id.name)) found(node.init);
      holds(node.id.name, node, node.init);
    },
    Property: (node) => {
      if (node.key.type === "Identifier" && isMoment(node.key.name)) found(node.value);
    },
    PropertyDefinition: (node) => {
      const { key } = node;
      if ((key.type === "Identifier" || key.type === "PrivateIdentifier") && isMoment(key.name)) found(node.value);
    },
    AssignmentExpression: (node) => {
      if (isMoment(text.slice(node.left.start, node.left.end))) found(node.right);
    },
  }).visit(program);

  const isMeasured = ({ name, start, scope }: Variable): boolean =>
    !isExplained(start) &&
    [...measuredNames].some(
      ([at, used]) => used === name && isWithin(scope, at) && !moments.has(at) && !isExplained(at),
    );
  const isOfDatabase = ({ database, names }: Readings): boolean =>
    database.length > 0 ||
    names.some(({ name, start }) =>
      databaseVariables.some((each) => each.name === name && isWithin(each.scope, start)),
    );
  const durations = comparisons.filter(({ sides }) => sides.every(isOfDatabase)).map(({ start }) => start);
  const unexplained = [...starts.difference(moments), ...durations].filter((start) => !isExplained(start));
  return [...unexplained, ...variables.filter(isMeasured).map(({ start }) => start)].map(
    (start) =>
      `${path}:${lineOf(start)}: measures time by a clock that steps; use performance.now(), for deadlines of calls steadyNowMs(), or say in a comment why it needs the wall clock`,
  );
}

const isWithin = ({ start, end }: Range, at: number): boolean => at >= start && at < end;

const isMoment = (name: string): boolean =>
  /(started|sent|tried|opened|heard|used|shown|made|seen|ended)At(Ms)?$|until(Ms)?$|deadlineMs$/i.test(name);
