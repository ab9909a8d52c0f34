import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { operatorCall } from "./fixture.ts";
import { type SubscriptionBed, startSubscriptionBed } from "./subscription-fixture.ts";

let bed: SubscriptionBed;
let clientId: string;

beforeAll(async () => {
  bed = await startSubscriptionBed();
});
beforeEach(async () => {
  clientId = await bed.identity.createClient();
  bed.target.answerWith((_, response) => void response.end("ok"));
});
afterAll(() => bed.close());

const filter = 'data.amount >= 100 && data.country == "JP"';
const order = (amount: unknown, country = "JP") => ({ data: { amount, country } });

describe("a subscription with a filter", () => {
  test("delivers the events that match the filter, and advances past the others", async () => {
    const { id } = await bed.subscribe(clientId, { types: ["order.*"], filter });
    await bed.publish(clientId, "order.placed", order(99));
    const first = await bed.publish(clientId, "order.placed", order(100));
    await bed.publish(clientId, "order.placed", order(1_000, "FR"));
    // The filter cannot be evaluated on these events.
    await bed.publish(clientId, "order.placed", order("many"));
    await bed.publish(clientId, "order.placed", { data: {} });
    await bed.publish(clientId, "invoice.paid", order(1_000));
    const last = await bed.publish(clientId, "order.shipped", order(100.5));
    // Waiting for a lag of 0 would not be enough, because there is no lag before the worker has assigned positions to
    // the events.
    expect(await bed.shownWhen(id, ({ position }) => position === 7)).toMatchObject({ lag: 0, failures: 0 });
    // Without an order, calls may overtake each other, so the ids are compared sorted.
    const arrived = bed.eventsAt(clientId).map((event) => event.id);
    expect(arrived.sort()).toEqual([first, last].sort());
    const { subscription } = await bed.subscriptions.getSubscription({ subscriptionId: id }, operatorCall());
    expect(subscription?.filter).toBe(filter);
  });

  test("applies the filter to a replay, and to held streams of an ordered subscription", async () => {
    // 60 events of one stream are more than the 20 open runs at which a stream is held.
    for (let sequence = 1; sequence <= 60; sequence += 1) {
      const fields = { ...order(sequence * 10), streamId: "s", sequence };
      await bed.publish(clientId, "order.placed", fields);
    }
    const { id } = await bed.subscribe(clientId, { filter: "data.amount > 100", order: "stream", from: 0 });
    const amounts = () =>
      bed.eventsAt(clientId).map((event) => (event as unknown as { data: { amount: number } }).data.amount);
    await bed.shownWhen(id, ({ position }) => position === 60);
    const expected = Array.from({ length: 50 }, (_, index) => (index + 11) * 10);
    expect(amounts()).toEqual(expected);
    await bed.subscriptions.replaySubscription(
      { subscriptionId: id, afterPosition: 8n, toPosition: 12n },
      operatorCall(),
    );
    await bed.arrived(clientId, 52);
    expect(amounts().slice(50)).toEqual([110, 120]);
  });

  test("filters events whose data is larger than what one step reads", async () => {
    const text = "x".repeat(900_000);
    const wanted: string[] = [];
    for (let number = 1; number <= 12; number += 1) {
      const id = await bed.publish(clientId, "order.placed", { data: { number, text } });
      if (number % 3 === 0) wanted.push(id);
    }
    const { id } = await bed.subscribe(clientId, { filter: "data.number in [3, 6, 9, 12]", from: 0 });
    await bed.shownWhen(id, ({ position }) => position === 12);
    expect(
      bed
        .eventsAt(clientId)
        .map((event) => event.id)
        .sort(),
    ).toEqual(wanted.sort());
  });

  test.each(["data.amount >", 'data.s.matches("(a+)+$")', "x".repeat(1_001)])(
    "rejects a subscription with an invalid filter",
    async (bad) => {
      await expect(bed.subscribe(clientId, { filter: bad })).rejects.toThrow(/filter/i);
    },
  );
});
