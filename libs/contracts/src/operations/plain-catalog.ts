const entriesMax = 500;
const namesMax = 120;
const localeMax = 20;
const fields = 7;
const variablesMax = 50;

// Characters are compared by their codes: for the few of a name that is quicker than a pattern.
const space = 0x20;
const tilde = 0x7e;
const zero = 0x30;
const nine = 0x39;
const a = 0x61;
const z = 0x7a;
const dash = 0x2d;
const dot = 0x2e;
const underscore = 0x5f;

/**
 * Is it the list of entries of an ordinary catalog: complete, in printable ASCII, and unique? Everything else is for the schema to judge,
 * which takes four times as long.
 */
export function isPlainCatalog(entries: unknown): boolean {
  if (!Array.isArray(entries) || entries.length === 0 || entries.length > entriesMax) return false;
  const eventKeys = new Set<string>();
  for (const entry of entries) {
    if (!isPlainEntry(entry)) return false;
    eventKeys.add(entry.event_key);
  }
  return eventKeys.size === entries.length || areUnique(entries);
}

type PlainEntry = { readonly event_key: string; readonly channel: string; readonly locale: string };

function isPlainEntry(value: unknown): value is PlainEntry {
  if (typeof value !== "object" || value === null) return false;
  let count = 0;
  for (const _ in value) count += 1;
  // Seven properties, and each of the seven fields one of them.
  if (count !== fields) return false;
  const { event_key, template_key, channel, purpose, locale, sender_profile, variables } = value as Record<
    string,
    unknown
  >;
  return (
    isDotted(event_key) &&
    isPrintable(template_key, namesMax) &&
    isChannel(channel) &&
    isDotted(purpose) &&
    isPrintable(locale, localeMax) &&
    isPrintable(sender_profile, namesMax) &&
    arePlainVariables(variables)
  );
}

function areUnique(entries: readonly PlainEntry[]): boolean {
  const names = new Set(entries.map(({ event_key, channel, locale }) => `${event_key}\0${channel}\0${locale}`));
  return names.size === entries.length;
}

function isDotted(value: unknown): boolean {
  if (typeof value !== "string" || value.length < 2 || value.length > namesMax) return false;
  const first = value.charCodeAt(0);
  if (first < a || first > z) return false;
  for (let at = 1; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    const isWord = (code >= a && code <= z) || (code >= zero && code <= nine);
    if (!isWord && code !== dot && code !== dash && code !== underscore) return false;
  }
  return true;
}

function isPrintable(value: unknown, max: number): boolean {
  if (typeof value !== "string" || value.length === 0 || value.length > max) return false;
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (code < space || code > tilde) return false;
  }
  return true;
}

function isChannel(value: unknown): boolean {
  return value === "email" || value === "fcm" || value === "apns" || value === "line" || value === "web_push";
}

function arePlainVariables(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  let count = 0;
  for (const name in value) {
    count += 1;
    const type = (value as Record<string, unknown>)[name];
    if (count > variablesMax || !isPrintable(name, namesMax)) return false;
    if (type !== "string" && type !== "integer" && type !== "number") return false;
  }
  return true;
}
