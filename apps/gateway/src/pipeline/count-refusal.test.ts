import { errorCodes } from "@platform/contracts/errors";
import { expect, it } from "vitest";
import { countRefusal } from "./count-refusal.ts";

const client = "0190a000-0000-7000-8000-00000000c0de";

function countedOf(clientId: string | undefined, codes: readonly string[]): Record<string, string | undefined> {
  const counted: Record<string, string | undefined> = {};
  for (const code of codes) {
    const kinds: string[] = [];
    const count = (owner: string, kind: string, amount: number) => void kinds.push(`${owner} ${kind} ${amount}`);
    countRefusal({ count }, clientId, code as keyof typeof errorCodes);
    counted[code] = kinds.join();
  }
  return counted;
}

it("counts a rejected request of a Project Client by the kind of its error, but no failure of the platform", () => {
  expect(
    countedOf(client, [
      "platform_quota_exceeded",
      "dependency_unavailable",
      "insufficient_scope",
      "contract_violation",
      "consent_withdrawn",
      "internal_error",
      "deadline_exceeded",
    ]),
  ).toEqual({
    platform_quota_exceeded: `${client} refused_quota 1`,
    dependency_unavailable: `${client} refused_overload 1`,
    insufficient_scope: `${client} refused_access 1`,
    contract_violation: `${client} refused_validation 1`,
    consent_withdrawn: `${client} refused_operation 1`,
    internal_error: "",
    deadline_exceeded: "",
  });
});

it("counts nothing for a caller without an accepted credential, even during a flood", () => {
  expect(new Set(Object.values(countedOf(undefined, Object.keys(errorCodes))))).toEqual(new Set([""]));
});
