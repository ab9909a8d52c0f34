import type { DescMessage } from "@bufbuild/protobuf";
import { declaredBounds, neededBounds } from "@platform/kit/rpc/server";
import { allServices } from "./operator-rpcs.ts";

/** Returns every message that is a request or is contained in one, by its full name. */
export async function requestMessages(): Promise<DescMessage[]> {
  const found = new Map<string, DescMessage>();
  const add = (message: DescMessage): void => {
    if (found.has(message.typeName)) return;
    found.set(message.typeName, message);
    for (const field of message.fields) if (field.message !== undefined) add(field.message);
  };
  for (const service of await allServices()) for (const { input } of service.methods) add(input);
  return [...found.values()];
}

/** Requires that every text, list and map of a request has the bounds that its type needs, and no others. */
export async function checkProtoBounds(): Promise<string[]> {
  return (await requestMessages()).flatMap(boundProblems);
}

/** Returns the problems of one message's fields. */
export function boundProblems({ fields }: DescMessage): string[] {
  return fields.flatMap((field) => {
    const needed = neededBounds(field);
    const declared = Object.keys(declaredBounds(field));
    const missing = needed.filter((name) => !declared.includes(name));
    const useless = declared.filter((name) => !(needed as readonly string[]).includes(name));
    return [
      ...missing.map(
        (name) =>
          `${String(field)} has no ${name}: set the option projectintegration.bounds.v1.bound (docs/decisions/0097-bounds-of-requests.md)`,
      ),
      ...useless.map((name) => `${String(field)} has a ${name}, which bounds nothing of its type: remove it`),
    ];
  });
}
