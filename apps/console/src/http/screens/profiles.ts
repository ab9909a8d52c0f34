import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import { NotifyAdminService, type OperatorDelivery, type SenderProfile } from "@platform/proto/notify/v1/notify_admin";
import { SenderProfileAdminService } from "@platform/proto/notify/v1/sender_profile_admin";
import { html } from "@platform/service-kit/http/html";
import { actionLinks } from "../action.ts";
import { copyable, facts, idLink, isoOf, section, stateOf, timeOf } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import type { Listing, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { create, crumbsOf, disable, enable, readProfile, test, update } from "./profile-actions.ts";
import { rotateSecret } from "./profile-secret.ts";

const admin = SenderProfileAdminService.method;
const plotDays = 14;
const rowsMax = 1_000;

const list: Listing<SenderProfile> = {
  path: "/profiles",
  title: "Sender profiles",
  method: NotifyAdminService.method.listSenderProfiles,
  isOfClient: true,
  columns: [
    { key: "id", title: "Profile", value: ({ id }) => id, cell: ({ id }) => idLink("/profiles", id) },
    { key: "name", title: "Name", value: ({ name }) => name, cell: ({ id, name }) => idLink("/profiles", id, name) },
    { key: "channel", title: "Channel", value: ({ channel }) => channel },
    { key: "status", title: "Status", value: ({ status }) => status, cell: ({ status }) => stateOf(status) },
    { key: "default_locale", title: "Language", value: ({ defaultLocale }) => defaultLocale },
    {
      key: "created_at",
      title: "Made",
      value: ({ createdAt }) => isoOf(createdAt),
      cell: ({ createdAt }) => timeOf(createdAt),
    },
    {
      key: "updated_at",
      title: "Changed",
      value: ({ updatedAt }) => isoOf(updatedAt),
      cell: ({ updatedAt }) => timeOf(updatedAt),
    },
  ],
  read: async (visit, filters) => {
    const { senderProfiles } = await visit.ask(NotifyAdminService.method.listSenderProfiles, {
      projectClientId: filters.client ?? "",
    });
    return { rows: senderProfiles, nextCursor: "" };
  },
  empty: "This client has no sender profile, so it cannot send. An operator makes one here.",
  above: async (visit, filters) =>
    actionLinks(visit, [create], "", `?client=${encodeURIComponent(filters.client ?? "")}`),
};

/** The latest deliveries that left through a profile, of its channel's latest ones. */
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

async function profilePage(visit: Visit) {
  const profile = await readProfile(visit);
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
  const actions = [rotateSecret, update, test, profile.status === "disabled" ? enable : disable];
  return {
    title: profile.name,
    crumbs: crumbsOf(profile).slice(0, 1),
    clientId: profile.projectClientId,
    body: html`${actionLinks(visit, actions, profile.id)}
<section aria-label="Sender profile">${facts([
      ["Id", copyable(profile.id)],
      ["Status", stateOf(profile.status)],
      ["Channel", profile.channel],
      ["Project Client", idLink("/clients", profile.projectClientId)],
      ["Default language", profile.defaultLocale],
      ["Sends verification pushes", profile.verification ? "yes" : "no"],
      ["Made", timeOf(profile.createdAt)],
      ["Changed", timeOf(profile.updatedAt)],
      ["Old credentials kept until", timeOf(profile.previousUntil)],
    ])}</section>
${section(
  "Health",
  facts([
    [
      `Accepted in ${plotDays} days`,
      over.length === 0 ? "nothing was sent" : `${((100 * sent) / over.length).toFixed(1)} % of ${over.length}`,
    ],
    [
      "Last error",
      lastError === undefined
        ? "none"
        : html`<code>${lastError.lastErrorCode}</code> ${idLink("/deliveries", lastError.id)}`,
    ],
  ]),
  await figure({ title: "Accepted and failed by day", unit: "deliveries", xTitle: "day (UTC)", kind: "bar", series }),
)}`,
  };
}

export const profiles: Screen = {
  lists: [list],
  actions: [create, rotateSecret, update, test, disable, enable],
  views: [{ path: "/profiles/:id", method: admin.showSenderProfile, show: profilePage }],
};
