import { onlyWith } from "@platform/test-kit/only-with";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Backend } from "./backend.ts";
import { createClients } from "./clients.ts";

const caller = { operatorToken: "token", correlationId: "request" };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

it("lists the projects again after three seconds, although the machine's clock was set back by a minute", async () => {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return { projectClients: [{ id: `project-${asked}` }] };
  };
  const clients = createClients(onlyWith<Backend>({ ask: ask as unknown as Backend["ask"] }));
  await clients.list(caller);
  vi.setSystemTime(Date.now() - 60_000);
  vi.advanceTimersByTime(2_999);
  expect(await clients.list(caller)).toMatchObject([{ id: "project-1" }]);
  vi.advanceTimersByTime(1);
  expect(await clients.list(caller)).toMatchObject([{ id: "project-2" }]);
});

it("asks only for what lists show of a project", async () => {
  const requests: unknown[] = [];
  const ask = async (_method: unknown, request: object) => {
    requests.push(request);
    return { projectClients: [] };
  };
  await createClients(onlyWith<Backend>({ ask: ask as unknown as Backend["ask"] })).list(caller);
  expect(requests).toEqual([{ afterId: "", pageSize: 500, namesOnly: true }]);
});
