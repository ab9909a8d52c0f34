import { v7 } from "uuid";

/** A new id: a UUIDv7 (RFC 9562), so that ids sort by their time. */
export function newId(): string {
  return v7();
}

/** Is it a UUID in its textual form, of any version? */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}
