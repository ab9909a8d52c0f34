import type { JsonObject } from "@platform/contracts/caller-json";

/** JSON that is already text. It is copied into a response unchanged, so that it is not parsed and written again. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Type of an object in a response, in which the caller's JSON may be a JsonText. */
export type WithJsonTexts<T> = {
  readonly [Name in keyof T]: JsonObject extends T[Name] ? T[Name] | JsonText : T[Name];
};

/** Writes a value like JSON.stringify, and a member that is a JsonText as its text. Nested members are not searched. */
export function writeJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value);
  if (!members.some(([, member]) => member instanceof JsonText)) return JSON.stringify(value);
  const written = members
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => {
      return `${JSON.stringify(name)}:${member instanceof JsonText ? member.text : JSON.stringify(member)}`;
    });
  return `{${written.join(",")}}`;
}
