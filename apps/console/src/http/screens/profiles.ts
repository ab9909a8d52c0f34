import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { senderProfiles as table } from "@platform/contracts/operator/sender-profiles";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import type { OperatorDelivery, SenderProfile } from "@platform/proto/notify/v1/notify_admin";
import { actionLinks } from "../action.ts";
import { facts, idLink, section } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import { rowFacts, screenOf } from "../resource-screen.ts";
import type { Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { create, test, update } from "./profile-actions.ts";
import { rotateSecret } from "./profile-secret.ts";

const plotDays = 14;
const rowsMax = 1_000;

/** Returns the latest deliveries of a profile, from among the latest ones of its channel. */
async function deliveriesOf(visit: Visit, profile: SenderProfile): Promise<OperatorDelivery[]> {
  const since = timestampFromDate(lastDays(plotDays)[0] ?? new Date());
  const rows: OperatorDelivery[] = [];
  for (let cursor = "", read = 0; read < rowsMax; ) {
    const page = await visit.ask(DeliveryAdminService.method.listDeliveries, {
      filter: { projectClientId: profile.projectClientId, channel: profile.channel, since },
      limit: 200,
      cursor,
    });
    read += page.deliveries.length;
    rows.push(...page.deliveries.filter(({ senderProfileId }) => senderProfileId === profile.id));
    cursor = page.nextCursor;
    if (cursor === "") break;
  }
  return rows;
}

async function profilePart(visit: Visit, profile: SenderProfile): Promise<HtmlValue> {
  const deliveries = await deliveriesOf(visit, profile);
  const over = deliveries.filter(({ status }) => status === "sent" || status === "failed");
  const sent = over.filter(({ status }) => status === "sent").length;
  const lastError = deliveries.find(({ lastErrorCode }) => lastErrorCode !== undefined);
  const series = byDay(
    over,
    lastDays(plotDays),
    ({ createdAt }) => (createdAt === undefined ? null : timestampDate(createdAt)),
    ({ status }) => (status === "sent" ? "accepted" : "failed"),
  );
  return html`${actionLinks(visit, [rotateSecret, update, test], profile.id)}
${rowFacts(table, profile)}
${section(
  "Health",
  facts([
    [
      `Accepted in the last ${plotDays} days`,
      over.length === 0 ? "no deliveries" : `${((100 * sent) / over.length).toFixed(1)} % of ${over.length}`,
    ],
    [
      "Last error",
      lastError === undefined
        ? "none"
        : html`<code>${lastError.lastErrorCode}</code> ${idLink("/deliveries", lastError.id)}`,
    ],
  ]),
  await figure({
    isWide: true,
    title: "Accepted and failed, by day",
    unit: "deliveries",
    xTitle: "day (UTC)",
    kind: "bar",
    series,
  }),
)}`;
}

const screen = screenOf(table, {
  above: (visit, { client = "" }) => actionLinks(visit, [create], "", `?client=${encodeURIComponent(client)}`),
  show: profilePart,
});

export const profiles: Screen = {
  ...screen,
  actions: [create, rotateSecret, update, test, ...(screen.actions ?? [])],
};
