import { EventEmitter } from "node:events";
import type { Response } from "express";
import { expect, it } from "vitest";
import { createPersonLimits, requestsPerPersonMax, tailsPerPersonMax, waitingPerPersonMax } from "./person-limits.ts";

/** Creates a response that remains open until the test ends it. */
function newResponse() {
  const response = Object.assign(new EventEmitter(), { closed: false, set: () => {} });
  const close = (): void => {
    response.closed = true;
    response.emit("close");
  };
  return { response: response as unknown as Response, close };
}
const tooMany = expect.objectContaining({ status: 429 });

it("serves four requests of a person concurrently, queues 28, and rejects the next one", async () => {
  const limits = createPersonLimits();
  const sent = Array.from({ length: requestsPerPersonMax + waitingPerPersonMax }, newResponse);
  const entered: number[] = [];
  const all = sent.map(({ response }, index) => limits.enter("ann", response).then(() => entered.push(index)));
  await expect(limits.enter("ann", newResponse().response)).rejects.toEqual(tooMany);
  expect(entered).toEqual([0, 1, 2, 3]);
  await limits.enter("bob", newResponse().response);
  for (const { close } of sent) {
    close();
    await Promise.resolve();
  }
  await Promise.all(all);
  expect(entered).toEqual(sent.map((_, index) => index));
});

it("removes a waiting request whose browser has disconnected", async () => {
  const limits = createPersonLimits();
  const running = Array.from({ length: requestsPerPersonMax }, newResponse);
  for (const { response } of running) await limits.enter("ann", response);
  const [gone, last] = [newResponse(), newResponse()];
  const entries = [limits.enter("ann", gone.response), limits.enter("ann", last.response)];
  gone.close();
  running[0]?.close();
  expect(await Promise.all(entries)).toEqual([false, true]);
});

it("allows one person four live tails and one large form, until one of them has ended", () => {
  const limits = createPersonLimits();
  const tails = Array.from({ length: tailsPerPersonMax }, newResponse);
  for (const { response } of tails) limits.openTail("ann", response);
  expect(() => limits.openTail("ann", newResponse().response)).toThrow(tooMany);
  tails[0]?.close();
  limits.openTail("ann", newResponse().response);
  limits.openLargeForm("ann", newResponse().response);
  expect(() => limits.openLargeForm("ann", newResponse().response)).toThrow(tooMany);
  limits.openLargeForm("bob", newResponse().response);
  expect(() => limits.openLargeForm("cy", newResponse().response)).toThrow(tooMany);
});
