import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create, type DescField, type DescMessage, ScalarType, toBinary } from "@bufbuild/protobuf";
import { declaredBounds, neededBounds, requestReader } from "@platform/kit/rpc/server";
import { expect, it } from "vitest";
import { allServices } from "./operator-rpcs.ts";
import { boundProblems, checkProtoBounds, requestMessages } from "./proto-bounds.ts";
import { repositoryRoot } from "./source-files.ts";

const messages = await requestMessages();
const methods = (await allServices()).flatMap((service) => service.methods);
const bounded = messages.flatMap(({ fields }) => fields.filter((field) => neededBounds(field).length > 0));

it("finds a bound for every text, list and map of every request", async () => {
  expect(bounded.length).toBeGreaterThan(200);
  expect(await checkProtoBounds()).toEqual([]);
});

it("reports every field that lost its bound, and a bound that is of no use, by name", () => {
  const reported = messages.flatMap((message) =>
    boundProblems({
      ...message,
      fields: message.fields.map((field) => ({ ...field, proto: { ...field.proto, options: undefined } }) as DescField),
    } as DescMessage),
  );
  expect(reported.length).toBeGreaterThanOrEqual(bounded.length);
  for (const field of bounded) expect(reported).toContainEqual(expect.stringContaining(`${String(field)} has no max_`));
  const [list] = messages.flatMap(({ fields }) => fields.filter(({ name }) => name === "project_client_ids"));
  const text = { ...list, fieldKind: "scalar", scalar: ScalarType.STRING } as DescField;
  expect(boundProblems({ fields: [text] } as unknown as DescMessage)).toEqual([
    expect.stringContaining("has a max_items, which bounds nothing of its type"),
  ]);
});

/** Returns values of a field at each of its bounds, and one step beyond each. */
function valuesOf(field: DescField): { at: unknown; past: unknown }[] {
  const {
    max_items: items = 0,
    max_length: length = 0,
    max_bytes: bytes = 0,
    max_key_length: keyLength = 0,
  } = declaredBounds(field);
  const item = (over: number): unknown =>
    field.message !== undefined
      ? {}
      : field.scalar === ScalarType.STRING
        ? "é".repeat(length + over)
        : field.scalar === ScalarType.BYTES
          ? new Uint8Array(bytes + over)
          : 0;
  const empty = field.scalar === ScalarType.STRING ? "" : item(0);
  const list = (count: number): unknown[] => Array.from({ length: count }, () => empty);
  const map = (count: number): object => Object.fromEntries(list(count).map((value, index) => [`k${index}`, value]));
  const isGrowing = field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES;
  switch (field.fieldKind) {
    case "scalar":
      return [{ at: item(0), past: item(1) }];
    case "list":
      return [{ at: list(items), past: list(items + 1) }, ...(isGrowing ? [{ at: [item(0)], past: [item(1)] }] : [])];
    case "map":
      return [
        { at: map(items), past: map(items + 1) },
        { at: { ["k".repeat(keyLength)]: empty }, past: { ["k".repeat(keyLength + 1)]: empty } },
        ...(isGrowing ? [{ at: { k: item(0) }, past: { k: item(1) } }] : []),
      ];
    default:
      throw new Error(`${String(field)} needs no bound`);
  }
}

it.each(bounded.map((field) => [String(field).replace("field projectintegration.", ""), field] as const))(
  "accepts %s at its bound and rejects it one past",
  (_, field) => {
    const read = requestReader(field.parent);
    const send = (value: unknown) => () =>
      read(toBinary(field.parent, create(field.parent, { [field.localName]: value })));
    for (const { at, past } of valuesOf(field)) {
      expect(send(at)).not.toThrow();
      expect(send(past)).toThrow(
        expect.objectContaining({
          code: "contract_violation",
          message: expect.stringMatching(new RegExp(`^${field.name}[/ ]`)),
        }),
      );
    }
  },
);

type Schema = { $ref?: string; maxLength?: number; anyOf?: Schema[]; properties?: Record<string, Schema> };
type Operation = { operationId?: string; requestBody?: { content: Record<string, { schema: Schema }> } };
const openapi = JSON.parse(readFileSync(join(repositoryRoot, "apps/gateway/openapi.json"), "utf8")) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Returns the maximum length that the public contract permits for a property of a body, or 0 if it has none. */
const lengthOf = ({ maxLength = 0, anyOf = [] }: Schema): number => Math.max(maxLength, ...anyOf.map(lengthOf));

/**
 * Each property of a body with a maximum length, and the proto field that contains it. The operation and the RPC have
 * the same name.
 */
const contract = Object.values(openapi.paths)
  .flatMap((path) => Object.values(path))
  .flatMap(({ operationId = "", requestBody }) => {
    const method = methods.find(
      ({ localName, parent }) => localName === operationId.split(".")[1] && !parent.name.endsWith("AdminService"),
    );
    const ref = requestBody?.content["application/json"]?.schema.$ref?.split("/").at(-1) ?? "";
    return Object.entries(openapi.components.schemas[ref]?.properties ?? {}).flatMap(([name, schema]) => {
      const field = method?.input.fields.find((each) => each.name === name);
      const most = lengthOf(schema);
      return field === undefined || most === 0 ? [] : [{ name: `${operationId} ${name}`, field, most }];
    });
  });

it("bounds every text at or above the limit of the public contract", () => {
  expect(contract.length).toBeGreaterThan(20);
  const narrower = contract.filter(({ field, most }) => (declaredBounds(field).max_length ?? 0) < most);
  expect(narrower.map(({ name }) => name)).toEqual([]);
});

it("bounds no JSON of a caller below the largest body", () => {
  const json = bounded.filter(({ name }) => name === "data_json" || name === "variables_json");
  expect(json.length).toBeGreaterThanOrEqual(4);
  expect(json.filter((field) => (declaredBounds(field).max_length ?? 0) < 1024 * 1024).map(String)).toEqual([]);
});
