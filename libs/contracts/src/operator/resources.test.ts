import { type DescMessage, hasOption } from "@bufbuild/protobuf";
import { CampaignAdminService, CampaignSchema } from "@platform/proto/ads/v1/ads_admin";
import { operator_access } from "@platform/proto/operator/v1/access";
import { describe, expect, it } from "vitest";
import { serviceNames } from "../services.ts";
import { campaigns } from "./campaigns.ts";
import { type Column, type Difference, nameOf } from "./column.ts";
import { isAboutOne, type Operation, operation, type Resource, resource } from "./resource.ts";
import { resources } from "./resources.ts";
import { messageOf } from "./row-values.ts";

const all = resources.flatMap((each) =>
  each.operations.map((one): [string, Resource, Operation] => [`${each.name} ${one.verb}`, each, one]),
);

/** Returns the fields that columns name, each with the message that must contain it. */
const fieldsOf = (item: DescMessage, columns: readonly (Column | Difference)[]): [DescMessage, string][] =>
  columns.flatMap((column): [DescMessage, string][] => {
    if ("difference" in column) return column.difference.map((field) => [item, field]);
    const inner = column.columns === undefined ? [] : fieldsOf(messageOf(item, column.field), column.columns);
    const held = [column.last, column.each].filter((field) => field !== undefined);
    return [
      [item, column.field],
      ...held.map((field): [DescMessage, string] => [messageOf(item, column.field), field]),
      ...inner,
    ];
  });

describe.each(all)("%s", (_name, { subject, row, columns }, one) => {
  it("refers to an RPC that declares who may call it", () => {
    expect(hasOption(one.rpc, operator_access)).toBe(true);
  });

  it("is served by the service in the name of its proto package, to which platformctl connects", () => {
    const [, service] = one.rpc.parent.typeName.split(".");
    expect(serviceNames).toContain(service);
  });

  it("refers only to fields of its request", () => {
    const named = one.fields.map(({ field }) => field);
    const about = isAboutOne(one) ? [subject?.field] : [];
    for (const field of named) expect(Object.keys(one.input.field)).toContain(field);
    for (const field of [...about, ...Object.keys(one.always ?? {})])
      expect(Object.keys(one.rpc.input.field)).toContain(field);
  });

  it("refers only to fields of its rows", () => {
    for (const [message, field] of fieldsOf(one.item, one.columns ?? columns))
      expect(Object.keys(message.field)).toContain(field);
  });

  it("marks each secret that it takes or shows, so that no assistant handles it", () => {
    const named = [...one.fields, ...(one.columns ?? columns).filter((column) => "field" in column)];
    const unmarked = named.filter(({ isSecret }) => isSecret !== true).map(({ field }) => field);
    expect(unmarked.filter((name) => /token|secret|password|headersJson|unsubscribe/i.test(name))).toEqual([]);
  });

  it("prefills its form only from fields in the resource's rows", () => {
    for (const { present } of one.fields) if (present !== undefined) expect(Object.keys(row.field)).toContain(present);
  });

  it("follows the wording rules", () => {
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
  it("shows only columns that the resource has", () => {
    const known = columns.map(nameOf);
    expect(known).toEqual([...new Set(known)]);
    for (const field of [...shown.list, ...(shown.found ?? []), ...shown.page, ...shown.question])
      expect(known).toContain(field);
  });
});

it("does not compile if a column, a field or a reply is not in proto", () => {
  const { subject, paths, shown } = campaigns;
  const rest = { name: "campaigns", noun: "campaign", title: "Campaigns", subject, paths, operations: [] };
  const none = { list: [], page: [], question: [] };
  // @ts-expect-error a campaign has no field colour
  resource({ ...rest, row: CampaignSchema, columns: [{ field: "colour", title: "Colour" }], shown: none });
  // @ts-expect-error nor can it be shown, for no column has that key
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

describe("a resource without a subject", () => {
  const { paths } = campaigns;
  const totals = {
    name: "totals",
    noun: "total",
    title: "Totals",
    row: CampaignSchema,
    paths,
    columns: [],
    shown: { list: [], page: [], question: [] },
  };

  it("may be listed", () => {
    const list = operation({
      verb: "list",
      rpc: CampaignAdminService.method.listCampaigns,
      does: "list",
      summary: "List them.",
    });
    expect(resource({ ...totals, operations: [list] }).subject).toBeUndefined();
  });

  it.each(["show", "act", "report"] as const)(
    "is refused with an operation that does %s, and the error says what to add",
    (does) => {
      const about = operation({
        verb: "show",
        rpc: CampaignAdminService.method.getCampaign,
        does,
        summary: "Show it.",
      });
      expect(() => resource({ ...totals, operations: [about] })).toThrow("totals show is about one total: add subject");
    },
  );
});
