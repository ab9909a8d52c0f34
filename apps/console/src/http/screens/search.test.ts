import { create } from "@bufbuild/protobuf";
import { html } from "@platform/kit/web/http";
import { FoundRecordSchema } from "@platform/proto/operator/v1/record_search_admin";
import { onlyWith } from "@platform/test-kit/only-with";
import { describe, expect, it } from "vitest";
import type { Visit } from "../visit.ts";
import { hrefOf, search, wantedOf } from "./search.ts";

const hex = "0".repeat(31);

describe("the search term", () => {
  it.each([
    [`pcred_${hex}1_${"a".repeat(64)}`, `${hex}1`],
    [`${hex}1`, `${hex}1`],
    [`pcons_0192${"0".repeat(27)}1_${"a".repeat(64)}`, "01920000-0000-0000-0000-000000000001"],
    ["order-4711", "order-4711"],
  ])("extracts the id from a token, and leaves any other text unchanged: %s", (text, wanted) => {
    expect(wantedOf(text)).toBe(wanted);
  });
});

describe("the page of a record", () => {
  const found = (fields: object) => hrefOf(create(FoundRecordSchema, { id: "1", projectClientId: "c", ...fields }));

  it("links a search result to its page, or to the page of the resource it belongs to", () => {
    expect(found({ kind: "delivery" })).toBe("/deliveries/1");
    expect(found({ kind: "scheduled_run", parentId: "o" })).toBe("/schedules/o?client=c");
    expect(found({ kind: "domain_event", position: 41n })).toBe("/events?client=c&before=42");
    expect(found({ kind: "image_preset" })).toBeNull();
  });

  it("encodes values that callers wrote", () => {
    expect(found({ kind: "project_audit", label: "a&b=<c>" })).toBe("/audits?client=c&action=a%26b%3D%3Cc%3E");
  });
});

describe("a search over all projects", () => {
  /** Returns the page that finds nothing on a platform with this many projects. */
  const pageWith = async (projects: number): Promise<string> => {
    const visit = onlyWith<Visit>({
      query: (name) => (name === "q" ? "order-4711" : ""),
      may: () => false,
      project: null,
      projectClients: async () =>
        Array.from({ length: projects }, (_, index) => ({
          ...{ id: `${index}`, name: `p${index}`, environment: "production", disabled: false },
        })),
      ask: (async () => ({ records: [], isPartial: false })) as unknown as Visit["ask"],
    });
    const answer = await search.views?.[0]?.show(visit);
    return answer !== null && answer !== undefined && "body" in answer ? html`${answer.body}`.text : "";
  };

  it("says that it is incomplete if there may be more projects than it covers", async () => {
    expect(await pageWith(4_999)).not.toContain("The search is incomplete");
    expect(await pageWith(5_000)).toContain("The search is incomplete");
  });
});
