import { email } from "@platform/contracts/formats";
import { validate } from "@platform/contracts/violations";
import { isEmailAddress } from "@platform/kit/web/mail";
import fc from "fast-check";
import { expect, it } from "vitest";

it("accepts the same texts as email addresses in the contract and in the services", () => {
  const character = fc.constantFrom(...'ab.-+@"\\ <>,;:()[]é用\t');
  const local = fc.string({ unit: character, maxLength: 6 });
  const texts = fc.oneof(
    fc.tuple(local, local).map(([left, right]) => `${left}@${right}.example`),
    local.map((text) => `"${text}"@x.example`),
    fc.string({ unit: character, maxLength: 12 }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(validate(email(320), text).ok).toBe(isEmailAddress(text));
    }),
    { numRuns: 5_000 },
  );
});
