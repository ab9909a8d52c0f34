import { html } from "@platform/kit/web/http";
import { expect, it } from "vitest";
import { copyable, table } from "./elements.ts";

it.each([
  ["a UUID", "0197a000-0000-7000-8000-000000000010", "0197a000-0000-7000-8000-0000"],
  ["the id of a credential or session", "0197a00000007000800000000000abcd", "0197a0000000700080000000"],
])("shows only the end of %s in a table, and copies the whole id", (_, id, lead) => {
  const cell = html`${table("Ids", ["Id"], [[copyable(id)]])}`.text;
  expect(cell).toContain(`<span class="lead">${lead}</span>${id.slice(-8)}</code>`);
  expect(cell).toContain(`data-copy="${id}"`);
});

it("shows text that is not an id in full", () => {
  const address = "https://shop.example/hooks/0197a00000007000800000000000abcd";
  expect(copyable(address).text).toContain(`<code>${address}</code>`);
});
