import { expect, test } from "vitest";
import { pageContender } from "./console.ts";

test.each([
  ["/", ["pause of more than 3000 ms", "GET /", "GET /"]],
  ["/deliveries", ["GET /deliveries", "GET /deliveries"]],
])("loads %s only after the console has dropped the page that it keeps", async (path, steps) => {
  const taken: string[] = [];
  const load = async (): Promise<void> => void taken.push(`GET ${path}`);
  const pause = async (ms: number): Promise<void> =>
    void taken.push(ms > 3_000 ? "pause of more than 3000 ms" : "pause");
  const { count } = await pageContender(path, [load, load], pause).run(1);
  expect(taken).toEqual(steps);
  expect(count).toBe(2);
});
