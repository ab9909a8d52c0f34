import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chargedAfter, chargeNext, chargeOfOrdinal, endOf, isExhausted, lastPaidOrdinal } from "./charge.ts";

const unlimited = Number.MAX_SAFE_INTEGER;
const amount = fc.integer({ min: 0, max: 100_000 });

/** The sum of the charges of the ordinals 1 to n, added up one by one. */
function sumOfCharges(cpmMinor: number, budgetMinor: number, n: number): bigint {
  let sum = 0n;
  for (let ordinal = 1; ordinal <= n; ordinal += 1) sum += BigInt(chargeOfOrdinal({ cpmMinor, budgetMinor }, ordinal));
  return sum;
}

describe("chargeOfOrdinal", () => {
  it("charges floor(n × cpm / 1000) in total for the first n impressions, for every n", () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 3000 }), (cpmMinor, n) => {
        expect(sumOfCharges(cpmMinor, unlimited, n)).toBe((BigInt(n) * BigInt(cpmMinor)) / 1000n);
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    [137, 34n],
    [10_000, 2500n],
    [3, 0n],
    [4, 1n],
  ])("charges for %i impressions at a CPM of 250 a total of %i", (n, charged) => {
    expect(sumOfCharges(250, unlimited, n)).toBe(charged);
  });

  it("never exceeds the budget, and charges every impression the budget can pay", () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 5000 }), (cpmMinor, budgetMinor) => {
        const sum = sumOfCharges(cpmMinor, budgetMinor, 500);
        expect(sum <= BigInt(budgetMinor)).toBe(true);
        const worth = (500n * BigInt(cpmMinor)) / 1000n;
        if (worth <= BigInt(budgetMinor)) expect(sum).toBe(worth);
      }),
      { numRuns: 60 },
    );
  });

  it("charges nothing for the first impression that exceeds the budget, nor for later ones", () => {
    const terms = { cpmMinor: 1500, budgetMinor: 5 };
    expect([1, 2, 3, 4, 5, 6].map((ordinal) => chargeOfOrdinal(terms, ordinal))).toEqual([1, 2, 1, 0, 0, 0]);
  });

  it("charges without a rounding error at the largest price and ordinal", () => {
    const terms = { cpmMinor: unlimited, budgetMinor: unlimited };
    expect(chargeOfOrdinal(terms, 1)).toBe(9_007_199_254_740);
    expect(chargeOfOrdinal(terms, unlimited)).toBe(0);
    expect(chargeOfOrdinal({ cpmMinor: 1, budgetMinor: unlimited }, 9_007_199_254_740_000)).toBe(1);
  });
});

describe("chargedAfter", () => {
  it("returns the sum of the charges, with or without a budget", () => {
    fc.assert(
      fc.property(
        amount,
        fc.integer({ min: 0, max: 2000 }),
        fc.integer({ min: 0, max: 400 }),
        (cpmMinor, budgetMinor, n) => {
          expect(BigInt(chargedAfter({ cpmMinor, budgetMinor }, endOf({ cpmMinor, budgetMinor }, n)))).toBe(
            sumOfCharges(cpmMinor, budgetMinor, n),
          );
        },
      ),
    );
  });
});

describe("isExhausted", () => {
  it("reports a campaign as exhausted from the first impression that exceeds the budget, and not before", () => {
    const terms = { cpmMinor: 250, budgetMinor: 2 };
    expect(lastPaidOrdinal(terms)).toBe(11);
    expect(isExhausted(terms, endOf(terms, 11))).toBe(false);
    expect(isExhausted(terms, endOf(terms, 12))).toBe(true);
  });

  it("never reports a campaign that costs nothing as exhausted", () => {
    expect(isExhausted({ cpmMinor: 0, budgetMinor: 0 }, { ordinal: unlimited, paid: unlimited })).toBe(false);
  });
});

describe("chargeNext", () => {
  const walk = (
    terms: { cpmMinor: number; budgetMinor: number },
    from: { ordinal: number; paid: number },
    count: number,
  ) => {
    let end = from;
    const charges = Array.from({ length: count }, () => {
      const next = chargeNext(terms, end);
      end = next.end;
      return next.chargedMinor;
    });
    return { charges, end };
  };

  it("charges the same as chargeOfOrdinal if the budget never changes", () => {
    const terms = { cpmMinor: 1_333, budgetMinor: 4 };
    const { charges, end } = walk(terms, { ordinal: 0, paid: 0 }, 10);
    expect(charges).toEqual(charges.map((_, index) => chargeOfOrdinal(terms, index + 1)));
    expect(end).toEqual(endOf(terms, 10));
  });

  it("charges impressions after a budget raise, and nothing for those that the earlier budget could not pay", () => {
    const before = { cpmMinor: 1_000, budgetMinor: 3 };
    const { end } = walk(before, { ordinal: 0, paid: 0 }, 5);
    expect(end).toEqual({ ordinal: 5, paid: 3 });
    const after = { cpmMinor: 1_000, budgetMinor: 5 };
    expect(isExhausted(after, end)).toBe(false);
    const raised = walk(after, end, 3);
    expect(raised.charges).toEqual([1, 1, 0]);
    expect(chargedAfter(after, raised.end)).toBe(5);
    expect(isExhausted(after, raised.end)).toBe(true);
  });
});
