import { z } from "zod";
import { readJson, urlBelow } from "./read-json.ts";

/** An alert that fires, as Alertmanager has it. */
export type FiringAlert = {
  readonly name: string;
  readonly severity: string;
  readonly summary: string;
  /** Where it says the runbook is; null unless it is a web address. */
  readonly runbookUrl: string | null;
  readonly since: Date;
};

const alertsMax = 200;

const text = z.string().catch("");
/** https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml, gettableAlert. */
const schema = z.array(
  z.object({
    labels: z.record(z.string(), text),
    annotations: z.record(z.string(), text).default({}),
    startsAt: z.iso.datetime({ offset: true }),
  }),
);

export type Alertmanager = ReturnType<typeof createAlertmanager>;

/** Asks an Alertmanager (API v2) for what fires and is not silenced. */
export function createAlertmanager(baseUrl: string) {
  const url = urlBelow(baseUrl, "/api/v2/alerts", { active: "true", silenced: "false", inhibited: "false" });
  return {
    origin: url.origin,
    listFiring: async (): Promise<FiringAlert[]> => {
      const found = await readJson(url, schema);
      return found.slice(0, alertsMax).map(({ labels, annotations, startsAt }) => ({
        name: labels.alertname ?? "",
        severity: labels.severity ?? "",
        summary: annotations.summary ?? annotations.description ?? "",
        runbookUrl: webAddressOf(annotations.runbook_url ?? ""),
        since: new Date(startsAt),
      }));
    },
  };
}

const webAddressOf = (address: string): string | null =>
  /^https?:$/.test(URL.parse(address)?.protocol ?? "") ? address : null;
