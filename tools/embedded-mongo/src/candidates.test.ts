import { expect, it } from "vitest";
import { allCandidates, type Candidates, eachOnce, joined, listedCandidates } from "./candidates.ts";
import { ParsedDocuments, StoredDocument } from "./stored-document.ts";
import { encode } from "./values.ts";

const parsed = new ParsedDocuments();
const documents = (count: number): StoredDocument[] =>
  Array.from({ length: count }, (_, index) => new StoredDocument(index + 1, encode({}), parsed));
const readAll = (candidates: Candidates): number[] => {
  const numbers: number[] = [];
  for (let next = candidates.next(); next.done !== true; next = candidates.next()) numbers.push(next.value.number);
  return numbers;
};

it("opens joined sequences one after the other, and the remaining ones when they are pinned", () => {
  const opened: string[] = [];
  const [first, second] = documents(2) as [StoredDocument, StoredDocument];
  const opener = (name: string, list: readonly StoredDocument[]) => () => {
    opened.push(name);
    return listedCandidates(list);
  };
  const all = joined([opener("a", [first]), opener("b", []), opener("c", [second])]);
  expect(opened).toEqual(["a"]);
  all.pin();
  expect(opened).toEqual(["a", "b", "c"]);
  expect(readAll(all)).toEqual([1, 2]);
  expect(readAll(joined([opener("d", [first]), opener("e", [second])]))).toEqual([1, 2]);
  expect(readAll(joined([]))).toEqual([]);
});

it("returns a document once that several sequences contain", () => {
  const given = documents(3);
  expect(readAll(eachOnce(listedCandidates([...given, ...given])))).toEqual([1, 2, 3]);
});

it("leaves out documents of a collection that are inserted after it was pinned", () => {
  const stored = new Map(documents(3).map((document) => [document.number, document]));
  const all = allCandidates(stored, () => stored.size);
  all.pin();
  stored.set(4, new StoredDocument(4, encode({}), parsed));
  all.pin();
  expect(readAll(all)).toEqual([1, 2, 3]);
});
