import { startServer } from "../processes.ts";
import { type Row, ratioCheck } from "../row.ts";
import { authorized, httpContender } from "./http-contenders.ts";

const connections = 16;
const ours = "POST /notification-catalog/validate";
const bare = "JSON.parse and zod on node:http";

const catalog = JSON.stringify({
  entries: Array.from({ length: 500 }, (_, index) => ({
    event_key: `order.event${index}`,
    template_key: `order-${index}`,
    channel: "email",
    purpose: "order.status",
    locale: "en",
    sender_profile: "orders",
    variables: { name: "string", order: "integer" },
  })),
});

/** A catalog of 500 entries through everything, beside its parsing and validation alone. */
export const catalogRow: Row = {
  id: "B10",
  title: `Catalog validation, 500 entries, ${connections} connections`,
  run: async (bench) => {
    const platform = await bench.platform();
    const validator = await startServer("./servers/catalog-validator.ts");
    bench.defer(validator.stop);
    const measured = await bench.measure([
      httpContender(bench, {
        name: ours,
        role: "ours",
        port: platform.port,
        connections,
        path: "/api/v1/notification-catalog/validate",
        headers: authorized(platform),
        body: catalog,
      }),
      httpContender(bench, { name: bare, role: "baseline", port: validator.port, connections, body: catalog }),
    ]);
    return { measured, checks: [ratioCheck(measured, [ours, bare], 0.85)], notes: [] };
  },
};
