import type { Row } from "../row.ts";
import { authorized, eventBody, httpContender } from "./http-contenders.ts";

const readable = 2_000;

/** The event log from both ends: published over HTTP, read as a stream in commit order. */
export const eventsRow: Row = {
  id: "EVENTS",
  title: "Domain Events published and read",
  run: async (bench) => {
    const platform = await bench.platform();
    const { settings } = platform.stack;
    const publish = httpContender(bench, {
      name: "published over HTTP, 10 publishers",
      role: "ours",
      port: platform.port,
      connections: 10,
      path: "/api/v1/domain-events",
      headers: authorized(platform),
      body: eventBody,
      idempotencyKey: "fresh",
    });
    for (let published = 0; published < readable; ) published += (await publish.run(1_000)).count;
    const measured = await bench.measure([
      { ...publish, unit: "events/s" },
      {
        name: `read as a stream, ${readable} at a time`,
        role: "ours",
        unit: "events/s",
        run: (durationMs) =>
          bench.generator.run("readEvents", {
            address: settings.EVENTS_GRPC ?? "",
            operatorToken: settings.OPERATOR_TOKEN ?? "",
            projectClientId: platform.projectClientId,
            count: readable,
            durationMs,
          }),
      },
    ]);
    return { measured, checks: [], notes: ["Positions are checked while they are read: 1, 2, 3, … without a gap."] };
  },
};
