import { expect, test } from "vitest";
import { unansweredQuestions } from "./site-search.ts";

const asked = { question: "How?", words: "how", page: "guides/how" };

test.each([
  ["the third page", ["a", "b", "guides/how"], []],
  ["the fourth page", ["a", "b", "c", "guides/how"], ["How? (how): expected guides/how, found a, b, c"]],
  ["no page", [], ["How? (how): expected guides/how, found nothing"]],
])("checks whether a search finds the answer among its first three pages: on %s", (_place, found, problems) => {
  expect(unansweredQuestions([asked], () => found)).toEqual(problems);
});
