import { Registry } from "@prometheus-io/client";
import { describe, expect, test } from "vitest";
import { createUploadBudget } from "./upload-budget.ts";

const mebibyte = 1024 * 1024;
const budgetOf = (mebibytes: number, writer = 5) =>
  createUploadBudget(mebibytes * mebibyte, writer * mebibyte, new Registry());

describe("the memory budget of uploads", () => {
  test("admits as many large uploads as the budget has memory for", () => {
    const budget = budgetOf(27);
    const taken = Array.from({ length: 4 }, () => budget.take(30 * mebibyte));
    expect(taken.map((release) => release !== null)).toEqual([true, true, true, false]);
  });

  test("counts an upload of unknown length as a large one", () => {
    const budget = budgetOf(9);
    expect(budget.take(null)).not.toBeNull();
    expect(budget.take(0)).not.toBeNull();
    expect(budget.take(1)).toBeNull();
  });

  test("counts a small upload as one block plus its own length", () => {
    const budget = budgetOf(3);
    expect(budget.take(1_000)).not.toBeNull();
    expect(budget.take(1_000)).not.toBeNull();
    expect(budget.take(1_000)).toBeNull();
  });

  test("admits the next upload once another one has ended", () => {
    const budget = budgetOf(9);
    const release = budget.take(null);
    expect(budget.take(null)).toBeNull();
    release?.();
    expect(budget.take(null)).not.toBeNull();
  });
});
