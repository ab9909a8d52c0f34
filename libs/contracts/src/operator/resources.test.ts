import { hasOption } from "@bufbuild/protobuf";
import { CampaignAdminService, CampaignSchema } from "@platform/proto/ads/v1/ads_admin";
import { operator_access } from "@platform/proto/operator/v1/access";
import { describe, expect, it } from "vitest";
import { campaigns } from "./campaigns.ts";
import { type Operation, operation, type Resource, resource } from "./resource.ts";
import { resources } from "./resources.ts";

const all = resources.flatMap((each) =>
  each.operations.map((one): [string, Resource, Operation] => [`${each.name} ${one.verb}`, each, one]),
);

describe.each(all)("%s", (_name, { subject, row, columns }, one) => {
  it("calls an RPC that says who may call it", () => {
    expect(hasOption(one.rpc, operator_access)).toBe(true);
  });

  it("names fields of its request", () => {
    const named = one.fields.map(({ field }) => field);
    const about = one.does === "list" || one.does === "create" ? [] : [subject.field];
    for (const field of [...named, ...about, ...Object.keys(one.always ?? {})])
      expect(Object.keys(one.rpc.input.field)).toContain(field);
  });

  it("names fields of its rows", () => {
    const item = one.rpc.output.field[one.reply ?? ""]?.message ?? row;
    for (const column of one.columns ?? columns)
      for (const field of "difference" in column ? column.difference : [column.field])
        expect(Object.keys(item.field)).toContain(field);
  });

  it("begins fields of its form with fields of the resource's rows", () => {
    for (const { present } of one.fields) if (present !== undefined) expect(Object.keys(row.field)).toContain(present);
  });

  it("keeps to the wording rules", () => {
    expect(one.summary).toMatch(/^[A-Z].*\.$/);
    for (const { explanation, label } of one.fields) {
      expect(explanation).toMatch(/^(?!Project Client)[^A-Z].*[^.]$|^Project Client id$|^1 to /);
      expect(label).toMatch(/^[A-Z]/);
    }
    if (one.does === "create" || one.does === "act") {
      expect(one.title).toMatch(/^[A-Z][^.]*$/);
      expect(one.notice).toMatch(/^The .*\.$/);
    }
  });
});

describe.each(resources.map((each) => [each.name, each] as const))("%s", (_name, { columns, shown }) => {
  it("shows columns that it has", () => {
    const known = columns.flatMap((column) => ("field" in column ? [column.field] : []));
    for (const field of [...shown.list, ...shown.page, ...shown.question]) expect(known).toContain(field);
  });
});

it("refuses by type a column, a field and a reply that proto does not have", () => {
  const { subject, paths, shown } = campaigns;
  const rest = { name: "campaigns", noun: "campaign", title: "Campaigns", subject, paths, operations: [] };
  const none = { list: [], page: [], question: [] };
  // @ts-expect-error a campaign has no field colour
  resource({ ...rest, row: CampaignSchema, columns: [{ field: "colour", title: "Colour" }], shown: none });
  // @ts-expect-error nor can it be shown
  resource({ ...rest, row: CampaignSchema, columns: [], shown: { ...none, list: ["colour"] } });
  const rpc = CampaignAdminService.method.getCampaign;
  const show = { verb: "show", rpc, does: "show", summary: "Show it." } as const;
  // @ts-expect-error the reply has no field colour
  operation({ ...show, also: { colour: { reply: "colour" } } });
  const wrong = { field: "colour", option: "colour", kind: "text", label: "Colour", explanation: "a colour" } as const;
  // @ts-expect-error the request has no field colour
  operation({ ...show, fields: [wrong] });
  expect(shown.list).not.toContain("colour");
});
