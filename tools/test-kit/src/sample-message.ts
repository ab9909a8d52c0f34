import {
  create,
  type DescField,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  ScalarType,
} from "@bufbuild/protobuf";

/** The Project Client of every sample. */
export const sampleClientId = "0197a000-0000-7000-8000-000000000001";
/** The year of every time in a sample. A test that compares texts replaces all other years. */
export const sampleYear = 2031;

const depthMax = 4;

/** Texts of fields whose readers require a certain form. The first name that matches is used. */
const texts: readonly (readonly [RegExp, (index: number) => string])[] = [
  [/^project_client_id$/, () => sampleClientId],
  [/(^|_)(id|kid)$/, (index) => `0197a000-0000-7000-8000-0000000000${index}0`],
  [/^(next_)?cursor$/, () => ""],
  [/json$/, (index) => JSON.stringify({ sample: index })],
  [/^currency$/, () => "JPY"],
  [/^day$|^key$/, (index) => `${sampleYear}-01-0${index}`],
  [/^types?$/, () => "order.placed"],
  [/url$|^return_uris$/, () => "https://example.com/sample"],
  [/^cron$/, () => "0 9 * * *"],
  [/^timezone$/, () => "Asia/Tokyo"],
  [/^overlap$/, () => "queue"],
  [/^channel$/, () => "email"],
  [/^locale$/, () => "en"],
  [/^environment$/, () => "development"],
  [/^roles$/, () => "security"],
  [/^role$/, () => "developer"],
  // The scopes are in the order of the contract.
  [/^values$/, (index) => (index === 1 ? "files:read" : "events:write")],
  [/hash$/, (index) => `${index}`.repeat(64)],
];

/**
 * Creates a message with only the necessary fields: ids, and messages that are not times. Other texts are empty, numbers are 0, and optional fields are
 * absent.
 */
export function sparseMessage<M extends DescMessage>(schema: M): MessageShape<M> {
  return create(schema, sparseFields(schema, 1) as MessageInitShape<M>);
}

function sparseFields(schema: DescMessage, depth: number): Record<string, unknown> {
  const values = schema.fields.flatMap((field): [string, unknown][] => {
    if (field.name === "id") return [[field.localName, sampleClientId]];
    const isWhole = field.message !== undefined && field.message.typeName !== "google.protobuf.Timestamp";
    if (!isWhole || field.message === undefined || field.oneof !== undefined || depth > depthMax) return [];
    const value = sparseFields(field.message, depth + 1);
    return field.fieldKind === "map" ? [] : [[field.localName, field.fieldKind === "list" ? [value] : value]];
  });
  return Object.fromEntries(values);
}

/** Values of `status` and `state` by the name of their message; `active` by default. */
export type SampleStates = Readonly<Record<string, string>>;

/**
 * Creates a message with all fields set, always to the same values, as a service might return it.
 * @param states the state of each resource, by the name of its message
 */
export function sampleMessage<M extends DescMessage>(schema: M, states: SampleStates = {}): MessageShape<M> {
  return create(schema, fieldsOf(schema, states, 1, 1) as MessageInitShape<M>);
}

function fieldsOf(schema: DescMessage, states: SampleStates, index: number, depth: number): Record<string, unknown> {
  const values = schema.fields
    .filter(({ oneof }) => oneof === undefined)
    .map((field) => [field.localName, fieldValue(field, schema, states, index, depth)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function fieldValue(
  field: DescField,
  schema: DescMessage,
  states: SampleStates,
  index: number,
  depth: number,
): unknown {
  const messageOf = (message: DescMessage, at: number): unknown => {
    if (message.typeName === "google.protobuf.Timestamp")
      return { seconds: BigInt(Date.UTC(sampleYear, 0, 1 + field.number, at) / 1000), nanos: 0 };
    return depth > depthMax ? undefined : fieldsOf(message, states, at, depth + 1);
  };
  const scalarOf = (scalar: ScalarType, at: number): unknown => {
    if (scalar === ScalarType.STRING) return textOf(field, schema, states, at);
    if (scalar === ScalarType.BOOL) return true;
    if (scalar === ScalarType.BYTES) return new Uint8Array([field.number, at]);
    // Every double in the proto files that a form shows is a fraction between 0 and 1.
    if (scalar === ScalarType.DOUBLE) return field.number / 100;
    const number = field.number * 100 + at;
    return [ScalarType.INT64, ScalarType.UINT64, ScalarType.SINT64].includes(scalar) ? BigInt(number) : number;
  };
  switch (field.fieldKind) {
    case "scalar":
      return scalarOf(field.scalar, index);
    case "enum":
      return field.enum.values.at(1)?.number;
    case "message":
      return messageOf(field.message, index);
    case "list": {
      const items = [1, 2].map((at) => {
        if (field.listKind === "message") return messageOf(field.message, at);
        return field.listKind === "enum" ? field.enum.values.at(at)?.number : scalarOf(field.scalar, at);
      });
      return items.filter((item) => item !== undefined);
    }
    case "map": {
      const value = field.mapKind === "message" ? messageOf(field.message, 1) : undefined;
      const scalar = field.mapKind === "scalar" ? scalarOf(field.scalar, 1) : value;
      return scalar === undefined || field.mapKey !== ScalarType.STRING ? {} : { sample: scalar };
    }
  }
}

function textOf({ name }: DescField, schema: DescMessage, states: SampleStates, index: number): string {
  if (name === "status" || name === "state") return states[schema.name] ?? "active";
  const known = texts.find(([pattern]) => pattern.test(name));
  return known === undefined ? `${name.replaceAll("_", "-")}-${index}` : known[1](index);
}
