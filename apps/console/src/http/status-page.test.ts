import { expect, it } from "vitest";
import type { ComponentHistory } from "../calls/health-history.ts";
import { renderStatus } from "./status-page.ts";

const component = (state: ComponentHistory["state"]): ComponentHistory => ({ name: "gateway", state, days: [] });

it.each([
  ["success", "All components are well.", [component("ok")]],
  ["danger", "Some components are not well.", [component("ok"), component("down")]],
  ["info", "Nothing has been measured yet.", []],
] as const)("uses the colour of %s for the message %j", async (tone, sentence, components) => {
  const page = await renderStatus({ read: async () => [...components] });
  expect(page).toContain(`<p class="alert alert-${tone}" role="status">${sentence}</p>`);
});
