import { randomUUID } from "node:crypto";
import { eventually } from "@platform/test-kit/eventually";
import { expect, it } from "vitest";
import { readSection, signIn } from "./console-person.ts";
import { ctl, newClient } from "./stack.ts";

it("shows the changes of an endpoint with their authors, and how many became verified and revoked", async () => {
  const viewer = await signIn("viewer");
  const { id: client } = await newClient();
  const { id } = await ctl([
    "endpoints",
    "link-line",
    "--client",
    client,
    "--user-id",
    `U${randomUUID().replaceAll("-", "")}`,
  ]);
  await ctl(["endpoints", "revoke", "--endpoint", id, "--reason", "asked by mail"]);
  const history = await readSection(viewer, `/endpoints/${id}?client=${client}`, "History");
  expect(history.replaceAll(/<[^>]+>/g, " ")).toMatch(/revoked\s.*operator\s.*revoked by operator.*registered\s/s);
  expect(history).toMatch(/href="\/search\?q=[0-9a-f-]{36}"/);
  expect(await ctl(["endpoints", "show", "--endpoint", id])).toMatchObject({
    history: [{ what: "registered" }, { what: "verified" }, { what: "revoked", by: "operator" }],
  });
  const part = await eventually(
    async () => {
      const shown = await readSection(viewer, `/endpoints?client=${client}`, "The last 30 days");
      return shown.includes("verified (endpoints)") ? shown : null;
    },
    { timeoutMs: 90_000, everyMs: 1_000, what: "the changes are shown" },
  );
  for (const text of ["Verified and revoked by day", "revoked (endpoints)", "<svg"]) expect(part).toContain(text);
});
