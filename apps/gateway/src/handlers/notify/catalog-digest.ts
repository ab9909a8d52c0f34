import { hash } from "node:crypto";
import type { BodyOf } from "@platform/contracts/operation";
import type { notifyOperations } from "@platform/contracts/operations/notify";

type CatalogEntry = BodyOf<(typeof notifyOperations)["notify.validateNotificationCatalog"]>["entries"][number];

/**
 * Returns the SHA-256 (hex) of the RFC 8785 form of the entries. The entries are sorted by event_key, channel and
 * locale in UTF-16 order, so that the order in which a catalog is sent does not matter. The properties of an entry are
 * listed in sorted order, so that JSON.stringify can write the whole text in one pass. It writes strings in the form
 * that RFC 8785 §3.2.2.2 requires.
 */
export function catalogDigest(entries: readonly CatalogEntry[]): string {
  const ordered = entries
    .map(({ channel, event_key, locale, purpose, sender_profile, template_key, variables }) => {
      return { channel, event_key, locale, purpose, sender_profile, template_key, variables };
    })
    .sort(byName);
  const isOrdered = ordered.every(({ variables }) => isSorted(variables));
  const text = isOrdered ? JSON.stringify(ordered) : `[${ordered.map(canonicalEntry).join(",")}]`;
  return hash("sha256", text, "hex");
}

/** Compares strings by UTF-16 code units, which is the order of RFC 8785 §3.2.3. */
function byName(a: CatalogEntry, b: CatalogEntry): number {
  if (a.event_key !== b.event_key) return a.event_key < b.event_key ? -1 : 1;
  if (a.channel !== b.channel) return a.channel < b.channel ? -1 : 1;
  return a.locale < b.locale ? -1 : 1;
}

function isSorted(variables: CatalogEntry["variables"]): boolean {
  let last = "";
  for (const name in variables) {
    if (name < last) return false;
    last = name;
  }
  return true;
}

/**
 * Writes an entry with sorted variables. An object could not keep them in that order, because engines list names such
 * as `10` first.
 */
function canonicalEntry({ variables, ...sorted }: CatalogEntry): string {
  const names = Object.keys(variables).sort();
  const declared = names.map((name) => `${JSON.stringify(name)}:"${variables[name]}"`).join(",");
  return `${JSON.stringify(sorted).slice(0, -1)},"variables":{${declared}}}`;
}
