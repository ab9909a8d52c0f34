import { z } from "zod";
import { alertTexts, type FiringAlert, firingAlert } from "./firing-alert.ts";
import { readJson, urlBelow } from "./read-json.ts";

/** Schema of gettableAlert in https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml. */
const schema = z.array(z.object({ ...alertTexts, startsAt: z.iso.datetime({ offset: true }) }));

export type Alertmanager = ReturnType<typeof createAlertmanager>;

/** Queries an Alertmanager (API v2) for alerts that are firing and not silenced. */
export function createAlertmanager(baseUrl: string) {
  const url = urlBelow(baseUrl, "/api/v2/alerts", { active: "true", silenced: "false", inhibited: "false" });
  return {
    origin: url.origin,
    listFiring: async (): Promise<FiringAlert[]> => {
      const found = await readJson(url, schema);
      return found.map(({ labels, annotations, startsAt }) => firingAlert(labels, annotations, startsAt));
    },
  };
}
