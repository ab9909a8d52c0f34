/**
 * Characters with which text can take control of a terminal or change how the surrounding text reads: control
 * characters of ASCII (C0, DEL) and of ISO 6429 (C1), line and paragraph separators, and the marks that reverse the
 * direction of writing (Unicode Standard Annex #9).
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for these characters
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Replaces each of these characters by its escape, such as \u001b; tabs and line feeds stay. Every text from a project or a person must pass through this
 * function before it is printed.
 */
export function printable(text: string): string {
  return text.replaceAll(unsafe, escapeOf);
}

/** Returns the JSON text of a value with all of these characters escaped. JSON.stringify escapes only those of ASCII. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(unsafe, escapeOf);
}

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
