import { channels } from "@platform/contracts/operator/channels";
import { html } from "@platform/kit/web/http";
import { NotifyAdminService, type SenderProfile } from "@platform/proto/notify/v1/notify_admin";
import { SenderProfileAdminService } from "@platform/proto/notify/v1/sender_profile_admin";
import { PageProblem } from "../page-problem.ts";
import { facts, idLink } from "../pages/elements.ts";
import { choicesOf } from "../pages/fields.ts";
import { postedRevision, revisionField } from "../resource-form.ts";
import type { Action } from "../screen.ts";
import type { Visit } from "../visit.ts";

const admin = SenderProfileAdminService.method;

export async function readProfile(visit: Visit): Promise<SenderProfile> {
  const { senderProfile } = await visit.ask(admin.showSenderProfile, { senderProfileId: visit.param("id") });
  if (senderProfile === undefined)
    throw new PageProblem(404, "There is nothing here", "This sender profile does not exist.");
  return senderProfile;
}

export const crumbsOf = ({ id, name, projectClientId }: SenderProfile): [string, string][] => [
  ["Sender profiles", `/profiles?client=${projectClientId}`],
  [name, `/profiles/${id}`],
];

const configField = {
  name: "config",
  label: "Configuration (JSON)",
  hint: "The complete configuration in the format of the channel (docs/notifications.md). Its secrets are encrypted and never shown again.",
  type: "textarea" as const,
  rows: 12,
  isRequired: true,
  isSecret: true,
};

export const create: Action = {
  path: "/profiles/new",
  title: "New sender profile",
  button: "Create sender profile",
  method: NotifyAdminService.method.createSenderProfile,
  describe: async (visit) => ({
    crumbs: [["Sender profiles", `/profiles?client=${encodeURIComponent(visit.query("client"))}`]],
    what: html`<p>A sender profile configures how the project sends messages through one channel.</p>${facts([["Project", idLink("/clients", visit.query("client"))]])}`,
  }),
  fields: () => [
    { name: "channel", label: "Channel", choices: choicesOf(channels) },
    { name: "name", label: "Name", isRequired: true, maxLength: 120 },
    configField,
  ],
  run: async (visit, options) => {
    const { id } = await visit.ask(
      NotifyAdminService.method.createSenderProfile,
      {
        projectClientId: visit.query("client"),
        channel: visit.field("channel"),
        name: visit.field("name"),
        configJson: visit.field("config"),
      },
      options,
    );
    return { redirect: `/profiles/${id}`, notice: "The sender profile is created." };
  },
};

export const update: Action = {
  path: "/profiles/:id/update",
  title: "Replace the configuration",
  button: "Replace the configuration",
  method: admin.updateSenderProfile,
  describe: async (visit) => {
    const profile = await readProfile(visit);
    return {
      crumbs: crumbsOf(profile),
      what: html`<p>Replaces the configuration of ${profile.name} under the same id. Workers use it within two seconds. If the provider rejects the new credentials during
the overlap, messages are sent with the old ones.</p>`,
    };
  },
  fields: async (visit) => [
    revisionField((await readProfile(visit)).revision),
    configField,
    {
      name: "overlap",
      label: "Keep the old credentials",
      choices: [
        ["86400", "for one day"],
        ["3600", "for one hour"],
        ["604800", "for one week"],
        ["0", "not at all"],
      ],
    },
  ],
  run: async (visit, options) => {
    const overlap = visit.field("overlap");
    await visit.ask(
      admin.updateSenderProfile,
      {
        senderProfileId: visit.param("id"),
        configJson: visit.field("config"),
        ...postedRevision(visit),
        ...(/^\d{1,7}$/.test(overlap) ? { overlapSeconds: Number(overlap) } : {}),
      },
      options,
    );
    return { redirect: `/profiles/${visit.param("id")}`, notice: "The configuration is replaced." };
  },
};

export const test: Action = {
  path: "/profiles/:id/test",
  title: "Send a test",
  button: "Send the test message",
  method: admin.testSenderProfile,
  describe: async (visit) => {
    const profile = await readProfile(visit);
    return {
      crumbs: crumbsOf(profile),
      what: html`<p>Sends one test message through ${profile.name} and shows the provider's response.</p>`,
    };
  },
  fields: () => [{ name: "to", label: "To", hint: "An address of the profile's channel.", isRequired: true }],
  run: async (visit, options) => {
    const { accepted, detail } = await visit.ask(
      admin.testSenderProfile,
      { senderProfileId: visit.param("id"), to: visit.field("to") },
      { ...options, timeoutMs: 30_000 },
    );
    return {
      redirect: `/profiles/${visit.param("id")}`,
      notice: accepted
        ? "The provider accepted the test message."
        : `The provider rejected the test message: ${detail}`,
    };
  },
};
