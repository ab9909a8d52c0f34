import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";

/** What a field holds, of the kinds our messages are made of. */
export type FieldKind =
  | { readonly type: "string" | "bytes" | "bool" | "uint32" | "int32" | "int64" }
  | { readonly type: "message"; readonly message: DescMessage };

export type KnownField = {
  readonly number: number;
  /** Name of the property. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly isList: boolean;
  /** Is a field without value told from one with the type's zero? */
  readonly isOptional: boolean;
};

const scalars = new Map<ScalarType, Exclude<FieldKind["type"], "message">>([
  [ScalarType.STRING, "string"],
  [ScalarType.BYTES, "bytes"],
  [ScalarType.BOOL, "bool"],
  [ScalarType.UINT32, "uint32"],
  [ScalarType.INT32, "int32"],
  [ScalarType.INT64, "int64"],
]);

/** The well-known types that are messages like any other; the rest have shapes of their own. */
const plainWellKnown = new Set(["google.protobuf.Timestamp", "google.protobuf.Duration"]);

/** The fields of a message by number; null when it has one, at any depth, that is left to the library: maps, oneofs, enums and so on. */
export function knownFields(message: DescMessage, within: readonly DescMessage[] = []): KnownField[] | null {
  const isRecursive = within.includes(message);
  const isSpecial = message.typeName.startsWith("google.protobuf.") && !plainWellKnown.has(message.typeName);
  if (isRecursive || isSpecial || message.file.edition !== 999) return null;
  const fields = message.fields.map((field) => knownField(field, [...within, message]));
  return fields.every((field) => field !== null) ? fields.sort((a, b) => a.number - b.number) : null;
}

function knownField(field: DescField, within: readonly DescMessage[]): KnownField | null {
  if (field.oneof !== undefined) return null;
  const kind = kindOf(field, within);
  if (kind === null) return null;
  const isList = field.fieldKind === "list";
  // Repeated numbers are packed.
  if (isList && kind.type !== "string" && kind.type !== "bytes" && kind.type !== "message") return null;
  return {
    number: field.number,
    name: field.localName,
    kind,
    isList,
    isOptional: !isList && field.presence !== FeatureSet_FieldPresence.IMPLICIT,
  };
}

function kindOf(field: DescField, within: readonly DescMessage[]): FieldKind | null {
  if (field.fieldKind === "map") return null;
  if (field.message !== undefined) {
    return knownFields(field.message, within) === null ? null : { type: "message", message: field.message };
  }
  const type = field.scalar === undefined ? undefined : scalars.get(field.scalar);
  const isLongText = "longAsString" in field && field.longAsString;
  return type === undefined || isLongText ? null : { type };
}
