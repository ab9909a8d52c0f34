import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { operatorCall, unusualNumbers } from "./fixture.ts";
import { type SubscriptionBed, startSubscriptionBed, verify } from "./subscription-fixture.ts";

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

const ids = () => bed.eventsAt(clientId).map(({ id }) => id);
const answerByType = (statusOf: (type: string) => number): void =>
  bed.target.answerWith(({ body }, response) => {
    response.writeHead(statusOf(JSON.parse(body.toString("utf8")).type)).end();
  });

describe("delivery of an event", () => {
  test("sends an event as a signed CloudEvent with the event's id", async () => {
    const { id } = await bed.subscribe(clientId);
    const eventId = await bed.publish(clientId, "order.placed", { data: { n: 1 }, streamId: "order-1", sequence: 1 });
    await bed.arrived(clientId, 1);
    const [arrival] = bed.target.arrivalsAt(`/${clientId}`);
    if (arrival === undefined) throw new Error("no call");
    expect(arrival.headers["content-type"]).toBe("application/cloudevents+json");
    expect(arrival.headers["webhook-id"]).toBe(eventId);
    verify(arrival);
    expect(JSON.parse(arrival.body.toString("utf8"))).toMatchObject({
      specversion: "1.0",
      id: eventId,
      source: `/project-clients/${clientId}`,
      type: "order.placed",
      streamid: "order-1",
      position: "1",
      data: { n: 1 },
    });
    expect(await bed.shownWhen(id, ({ lag }) => lag === 0)).toEqual({
      status: "active",
      position: 1,
      lag: 0,
      failures: 0,
    });
  });

  test("posts the numbers of the data with the digits and in the form in which they were published", async () => {
    await bed.subscribe(clientId);
    await bed.publish(clientId, "order.placed", { dataJson: unusualNumbers });
    await bed.arrived(clientId, 1);
    const [arrival] = bed.target.arrivalsAt(`/${clientId}`);
    expect(arrival?.body.toString("utf8")).toContain(`"data":${unusualNumbers}`);
  });

  test("delivers only matching types, and advances past the others", async () => {
    const { id } = await bed.subscribe(clientId, { types: ["order.*", "invoice.paid"] });
    await bed.publish(clientId, "customer.created");
    const wanted = [await bed.publish(clientId, "order.placed"), await bed.publish(clientId, "invoice.paid")];
    await bed.publish(clientId, "invoice.sent");
    await bed.shownWhen(id, ({ position }) => position === 4);
    expect(ids().sort()).toEqual(wanted.sort());
  });

  test("starts with new events, or after a given position", async () => {
    const old = [await bed.publish(clientId, "order.placed"), await bed.publish(clientId, "order.placed")];
    await bed.subscribe(clientId, { from: 0, url: `${bed.target.url}/all-${clientId}` });
    await bed.subscribe(clientId, { from: 1, url: `${bed.target.url}/second-${clientId}` });
    const { id } = await bed.subscribe(clientId);
    const fresh = await bed.publish(clientId, "order.placed");
    await bed.shownWhen(id, ({ position }) => position === 3);
    const at = (path: string) => bed.target.arrivalsAt(path).map(({ headers }) => headers["webhook-id"]);
    await eventually(() => at(`/all-${clientId}`).length === 3 && at(`/second-${clientId}`).length === 2);
    expect(at(`/all-${clientId}`).sort()).toEqual([...old, fresh].sort());
    expect(at(`/second-${clientId}`).sort()).toEqual([old[1], fresh].sort());
    expect(ids()).toEqual([fresh]);
  });

  test("spends one scheduled invocation for each call, and waits for the next day once the limit is reached", async () => {
    const limited = await bed.identity.createClient("development", 1);
    const { id } = await bed.subscribe(limited);
    await bed.publish(limited, "order.placed");
    await bed.shownWhen(id, ({ position }) => position === 1);
    await bed.publish(limited, "order.placed");
    const { runs } = await eventually(async () => {
      const [subscription] = (await bed.subscriptions.listSubscriptions({ projectClientId: limited }, operatorCall()))
        .subscriptions;
      const answer = await bed.server.scheduleAdmin.listScheduledRuns(
        { operationId: subscription?.operationId ?? "", limit: 10 },
        operatorCall(),
      );
      return answer.runs.some(({ status }) => status === "deferred") ? answer : undefined;
    });
    expect(runs.map(({ status }) => status).sort()).toEqual(["deferred", "succeeded"]);
    expect((await bed.show(id)).position).toBe(1);
  });
});

describe("the position of a subscription", () => {
  test("keeps the position before a failing event until its last attempt, and delivers later events in the meantime", async () => {
    answerByType((type) => (type === "order.bad" ? 500 : 200));
    const { id } = await bed.subscribe(clientId, { maxAttempts: 2 });
    await bed.publish(clientId, "order.good");
    await bed.publish(clientId, "order.bad");
    await bed.publish(clientId, "order.good");
    await bed.arrived(clientId, 3);
    expect(await bed.shownWhen(id, ({ failures }) => failures === 1)).toMatchObject({ position: 1, lag: 2 });
    bed.advance(60);
    expect(await bed.shownWhen(id, ({ position }) => position === 3)).toMatchObject({ lag: 0, failures: 1 });
    expect(bed.eventsAt(clientId).filter(({ type }) => type === "order.bad")).toHaveLength(2);
  });

  test("ends only the subscription whose call gets a 410, records the reason, and keeps its position and its operation", async () => {
    const { id, operationId } = await bed.subscribe(clientId);
    const other = await bed.subscriptions.createSubscription(
      { operationId, types: ["other.*"], order: "none" },
      operatorCall(),
    );
    await bed.publish(clientId, "order.placed");
    await bed.shownWhen(id, ({ position }) => position === 1);
    bed.target.answerWith((_, response) => void response.writeHead(410).end("x".repeat(201)));
    await bed.publish(clientId, "order.placed");
    await bed.shownWhen(id, ({ status }) => status === "ended");
    const reasonOf = async (subscriptionId: string) =>
      (await bed.subscriptions.getSubscription({ subscriptionId }, operatorCall())).subscription?.statusReason;
    const reason = { statusCode: 410, bodyStart: "x".repeat(200), at: expect.anything() };
    expect(await reasonOf(id)).toMatchObject(reason);
    const request = { projectClientId: clientId };
    const { operations } = await bed.server.scheduleAdmin.listScheduledOperations(request, operatorCall());
    expect(operations.map(({ id: each, status }) => [each, status])).toEqual([[operationId, "active"]]);
    const otherId = other.subscription?.id ?? "";
    expect(await bed.show(otherId)).toMatchObject({ status: "active" });
    expect(await reasonOf(otherId)).toBeUndefined();
    await expect(bed.subscriptions.resumeSubscription({ subscriptionId: id }, operatorCall())).rejects.toMatchObject({
      message: expect.stringContaining("has ended"),
    });
    const calls = bed.target.arrivalsAt(`/${clientId}`).length;
    await bed.publish(clientId, "order.placed");
    expect(await bed.show(id)).toMatchObject({ status: "ended" });
    expect(bed.target.arrivalsAt(`/${clientId}`)).toHaveLength(calls);
  });
});

describe("a subscription that is ordered by stream", () => {
  test("sends the next event of a stream only after the previous one got a response, and does not delay other streams", async () => {
    let isDown = true;
    bed.target.answerWith(({ body }, response) => {
      const { streamid } = JSON.parse(body.toString("utf8"));
      response.writeHead(isDown && streamid === "slow" ? 500 : 200).end();
    });
    const { id } = await bed.subscribe(clientId, { order: "stream" });
    const publish = (streamId: string, sequence: number) =>
      bed.publish(clientId, "order.changed", { streamId, sequence });
    const slow = [await publish("slow", 1), await publish("slow", 2), await publish("slow", 3)];
    const fast = [await publish("fast", 1), await publish("fast", 2)];
    await eventually(() => ids().filter((each) => fast.includes(each)).length === 2);
    expect(ids().filter((each) => slow.includes(each))).toEqual([slow[0]]);
    isDown = false;
    bed.advance(30);
    await bed.shownWhen(id, ({ position }) => position === 5);
    expect(ids().filter((each) => slow.includes(each))).toEqual([slow[0], ...slow]);
    expect(ids().filter((each) => fast.includes(each))).toEqual(fast);
  });

  test("continues a stream after one of its events has failed permanently", async () => {
    answerByType((type) => (type === "order.bad" ? 500 : 200));
    const { id } = await bed.subscribe(clientId, { order: "stream", maxAttempts: 1 });
    await bed.publish(clientId, "order.bad", { streamId: "s", sequence: 1 });
    await bed.publish(clientId, "order.good", { streamId: "s", sequence: 2 });
    expect(await bed.shownWhen(id, ({ position }) => position === 2)).toMatchObject({ lag: 0, failures: 1 });
    expect(bed.eventsAt(clientId).map(({ type }) => type)).toEqual(["order.bad", "order.good"]);
  });
});

describe("a paused subscription", () => {
  test("calls nothing while the subscription is paused, and delivers every event once it is resumed", async () => {
    const { id } = await bed.subscribe(clientId);
    await bed.subscriptions.pauseSubscription({ subscriptionId: id }, operatorCall());
    const published = [await bed.publish(clientId, "order.placed"), await bed.publish(clientId, "order.placed")];
    // Another subscription of the same client is called, which shows that the worker has read the events.
    const witness = await bed.subscribe(clientId, { from: 0, url: `${bed.target.url}/witness-${clientId}` });
    await bed.shownWhen(witness.id, ({ position }) => position === 2);
    expect(ids()).toEqual([]);
    expect(await bed.show(id)).toMatchObject({ status: "paused", position: 0, lag: 2 });
    await bed.subscriptions.resumeSubscription({ subscriptionId: id }, operatorCall());
    await bed.shownWhen(id, ({ position }) => position === 2);
    expect(ids().sort()).toEqual(published.sort());
  });

  test("keeps the events of a disabled operation until it is enabled", async () => {
    const { id, operationId } = await bed.subscribe(clientId);
    await bed.server.scheduleAdmin.disableScheduledOperation({ operationId }, operatorCall());
    const eventId = await bed.publish(clientId, "order.placed");
    await bed.runWhen(operationId, ({ status }) => status === "pending");
    expect(ids()).toEqual([]);
    await bed.server.scheduleAdmin.enableScheduledOperation({ operationId }, operatorCall());
    await bed.shownWhen(id, ({ position }) => position === 1);
    expect(ids()).toEqual([eventId]);
  });

  test("keeps the events of a disabled Project Client until it is enabled", async () => {
    const { id } = await bed.subscribe(clientId);
    await bed.identity.disableClient(clientId);
    const eventId = await bed.publish(clientId, "order.placed");
    const other = await bed.identity.createClient();
    const witness = await bed.subscribe(other);
    await bed.publish(other, "order.placed");
    await bed.shownWhen(witness.id, ({ position }) => position === 1);
    bed.advance(20);
    expect(ids()).toEqual([]);
    await bed.identity.enableClient(clientId);
    bed.advance(20);
    await bed.shownWhen(id, ({ position }) => position === 1);
    expect(ids()).toEqual([eventId]);
  });

  test("stops calls of a deleted subscription", async () => {
    bed.target.answerWith((_, response) => void response.writeHead(500).end());
    const { id, operationId } = await bed.subscribe(clientId);
    await bed.publish(clientId, "order.placed");
    await bed.arrived(clientId, 1);
    await bed.subscriptions.deleteSubscription({ subscriptionId: id }, operatorCall());
    bed.advance(3_600);
    const run = await bed.runWhen(operationId, ({ status }) => status === "skipped");
    expect(run.error).toBe("subscription_deleted");
    expect(ids()).toHaveLength(1);
    await expect(bed.show(id)).rejects.toMatchObject({ message: "There is no such subscription." });
  });
});

describe("a replay of events", () => {
  test("delivers the events after --from, up to and including --to, again with the same ids", async () => {
    const { id } = await bed.subscribe(clientId, { types: ["order.*"], order: "stream" });
    const published: string[] = [];
    for (let sequence = 1; sequence <= 6; sequence += 1) {
      published.push(await bed.publish(clientId, "order.changed", { streamId: "s", sequence }));
    }
    await bed.publish(clientId, "other.thing");
    await bed.shownWhen(id, ({ position }) => position === 7);
    await bed.subscriptions.replaySubscription(
      { subscriptionId: id, afterPosition: 2n, toPosition: 5n },
      operatorCall(),
    );
    await bed.arrived(clientId, 9);
    expect(ids()).toEqual([...published, ...published.slice(2, 5)]);
    expect(await bed.show(id)).toMatchObject({ position: 7, lag: 0 });
  });

  test("replays failed events once for each request of an operator", async () => {
    bed.target.answerWith((_, response) => void response.writeHead(500).end());
    const { id } = await bed.subscribe(clientId, { maxAttempts: 1 });
    const eventId = await bed.publish(clientId, "order.placed");
    await bed.shownWhen(id, ({ position }) => position === 1);
    bed.target.answerWith((_, response) => void response.end());
    for (let calls = 2; calls <= 3; calls += 1) {
      await bed.subscriptions.replaySubscription({ subscriptionId: id, afterPosition: 0n }, operatorCall());
      await bed.arrived(clientId, calls);
    }
    expect(ids()).toEqual([eventId, eventId, eventId]);
  });
});

describe("the operator RPCs for subscriptions", () => {
  test.each([
    [{ types: [] }, "at least one type"],
    [{ types: ["Order.*"] }, "is no type"],
    [{ types: ["*"], order: "total" }, "none or stream"],
  ])("refuses the subscription %j", async (fields, message) => {
    const operationId = await bed.register(clientId);
    await expect(
      bed.subscriptions.createSubscription({ operationId, ...fields }, operatorCall()),
    ).rejects.toMatchObject({ message: expect.stringContaining(message) });
  });

  test("lists a client's subscriptions by pages, oldest first", async () => {
    const made = [await bed.subscribe(clientId), await bed.subscribe(clientId), await bed.subscribe(clientId)];
    const first = await bed.subscriptions.listSubscriptions({ projectClientId: clientId, limit: 2 }, operatorCall());
    const second = await bed.subscriptions.listSubscriptions(
      { projectClientId: clientId, limit: 2, cursor: first.nextCursor },
      operatorCall(),
    );
    expect([...first.subscriptions, ...second.subscriptions].map(({ id }) => id).sort()).toEqual(
      made.map(({ id }) => id).sort(),
    );
    expect([first.subscriptions.length, second.nextCursor]).toEqual([2, ""]);
  });
});
