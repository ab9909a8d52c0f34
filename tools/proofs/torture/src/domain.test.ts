import { expect, test } from "vitest";
import { verdictOn } from "./domain.ts";
import { acknowledge, begin, type Entries, found } from "./entry.ts";

test("counts lost, doubled, refused and retried ids", () => {
  const entries: Entries = new Map();
  const entry = (key: string, id: string | null) => {
    const begun = begin(entries, "client", key);
    if (id !== null) acknowledge(begun, id);
    return begun;
  };
  found(entry("there", "1"), "1");
  entry("lost", "2");
  found(entry("another id in the store", "3"), "4");
  const stored = entry("stored twice", "5");
  found(stored, "5");
  found(stored, "6");
  const answered = entry("answered with two ids", "7");
  acknowledge(answered, "8");
  found(answered, "7");
  entry("refused", null).refusal = "422 no";
  entry("never answered", null).retries = 3;
  expect(verdictOn("kind", entries, ["remark"])).toEqual({
    kind: "kind",
    asked: 7,
    acknowledged: 5,
    retried: 1,
    lost: ["2", "3"],
    doubled: ["stored twice", "answered with two ids"],
    refused: ["refused 422 no"],
    remarks: ["remark"],
  });
});
