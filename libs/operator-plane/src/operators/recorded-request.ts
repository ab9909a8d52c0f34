import { createHash, createHmac } from "node:crypto";
import { type DescMessage, type JsonObject, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";

import { normalizeEmail } from "@platform/kit/web/mail";

const requestBytesMax = 8 * 1024;

/**
 * Returns the recorded form of a request: JSON without fields that are marked `debug_redact`, or, if the request is
 * large, only its size and hash.
 * @param key see `withoutAddresses`
 */
export function recordedRequest(schema: DescMessage, request: Message, key: Uint8Array): string {
  const json = toJson(schema, request, { useProtoFieldName: true });
  redact(schema, json);
  const text = withoutAddresses(JSON.stringify(json), key);
  const bytes = Buffer.byteLength(text);
  if (bytes <= requestBytesMax) return text;
  return JSON.stringify({ bytes, sha256: createHash("sha256").update(text).digest("hex") });
}

const domain = String.raw`[^\s"'\\<>()[\]{},;:=@]+\.[^\s"'\\<>()[\]{},;:=@.]{2,}`;
/**
 * Matches addresses in text and in JSON, where the quotation marks and backslashes of a quoted local part are escaped.
 * The length of a quoted part is limited as in addresses, so that a template full of quotation marks takes only linear
 * time.
 */
const addresses = new RegExp(
  String.raw`(?:[^\s"'\\<>()[\]{},;:=@]+|\\"(?:[^"\\]|\\\\\\.|\\\\\\\\){0,320}\\"|(?<!\\)"(?:[^"\\]|\\[^"]|\\"(?!@)){0,320}")@${domain}`,
  "gu",
);

/**
 * Replaces each email address in a text by its keyed hash. Records are part of a hash chain and cannot be changed when
 * a person is erased. They must therefore contain neither an address nor a hash that could be compared with hashes of
 * known addresses.
 * @param key the service's key; as long as it does not change, an address always has the same hash
 */
export function withoutAddresses(text: string, key: Uint8Array): string {
  return text.replace(addresses, (found) => {
    const address = found.startsWith("\\") ? (JSON.parse(`"${found}"`) as string) : found;
    const hash = createHmac("sha256", key).update("recorded-address\0").update(normalizeEmail(address)).digest("hex");
    return `address:${hash}`;
  });
}

function redact(schema: DescMessage, json: JsonValue): void {
  if (!isObject(json)) return;
  for (const field of schema.fields) {
    const value = json[field.name];
    if (value === undefined) continue;
    if (field.proto.options?.debugRedact === true) delete json[field.name];
    else if (field.message !== undefined && field.fieldKind === "message") redact(field.message, value);
    else if (field.message !== undefined && field.fieldKind === "list" && Array.isArray(value)) {
      for (const item of value) redact(field.message, item);
    } else if (field.message !== undefined && field.fieldKind === "map" && isObject(value)) {
      for (const item of Object.values(value)) redact(field.message, item);
    }
  }
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * What a message is about: the Project Client, and the id of one other resource. Both are read from the request, or
 * from the reply if the request does not contain them.
 */
export type Subject = { readonly clientId: string | null; readonly resource: string | null };

/**
 * Returns the subject of a request: `project_client_id`, which may be in its filter, and the first other field whose
 * name ends in `_id`.
 */
export function subjectOfRequest(request: object): Subject {
  const fields = Object.entries(request);
  const resource = fields.find(([name, value]) => name !== "projectClientId" && name.endsWith("Id") && isId(value));
  const filter: unknown = Reflect.get(request, "filter");
  const clientId =
    idOrNull(Reflect.get(request, "projectClientId")) ?? idOrNull(Reflect.get(Object(filter), "projectClientId"));
  return { clientId, resource: idOrNull(resource?.[1]) };
}

/** Returns the subject of a reply: its own id, or the id and the Project Client of the first message in it. */
export function subjectOfReply(reply: object): Subject {
  const named = [["", reply] as const, ...Object.entries(reply)];
  const [name, about] = named.find(([, value]) => isId(Reflect.get(Object(value), "id"))) ?? [];
  if (about === undefined) return { clientId: null, resource: null };
  const resource = idOrNull(Reflect.get(about, "id"));
  return { clientId: name === "projectClient" ? resource : idOrNull(Reflect.get(about, "projectClientId")), resource };
}

const isId = (value: unknown): value is string => typeof value === "string" && value !== "" && value.length <= 200;
const idOrNull = (value: unknown): string | null => (isId(value) ? value : null);
