import { NotifyAdminService, SenderProfileSchema } from "@platform/proto/notify/v1/notify_admin";
import { SenderProfileAdminService } from "@platform/proto/notify/v1/sender_profile_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = SenderProfileAdminService.method;

export const senderProfiles = resource({
  name: "sender-profiles",
  noun: "sender profile",
  title: "Sender profiles",
  row: SenderProfileSchema,
  subject: { field: "senderProfileId", option: "profile", explanation: "sender profile id" },
  paths: { list: "/profiles" },
  named: "name",
  columns: [
    { field: "id", title: "Profile", kind: "id", page: "/profiles" },
    { field: "channel", title: "Channel" },
    { field: "name", title: "Name" },
    { field: "defaultLocale", title: "Default language", isNullIfEmpty: true },
    { field: "verification", title: "Sends verification pushes" },
    { field: "status", title: "Status", kind: "state" },
    { field: "mode", title: "Mode", isNullIfEmpty: true },
    { field: "createdAt", title: "Created", kind: "time" },
    { field: "updatedAt", title: "Changed", kind: "time" },
    { field: "previousUntil", title: "Old credentials expire", kind: "time" },
    { field: "projectClientId", title: "Project", kind: "id", page: "/clients", isOnPagesOnly: true },
  ],
  shown: {
    list: ["id", "name", "channel", "status", "mode", "defaultLocale", "createdAt", "updatedAt"],
    page: [
      "status",
      "mode",
      "channel",
      "projectClientId",
      "defaultLocale",
      "verification",
      "createdAt",
      "updatedAt",
      "previousUntil",
    ],
    question: ["name", "channel"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: NotifyAdminService.method.listSenderProfiles,
      does: "list",
      summary: "List a project's sender profiles, oldest first, without their secrets.",
      prints: "array",
      empty: "This project has no sender profile, so it cannot send messages. Operators can create one here.",
      fields: [{ ...projectClient, explanation: "Project Client id", isRequired: true }],
      example: "--client <client id>",
    }),
    operation({
      verb: "show",
      rpc: rpcs.showSenderProfile,
      does: "show",
      summary: "Show a sender profile without its secrets.",
      example: "--profile <profile id>",
    }),
    operation({
      verb: "enable",
      rpc: rpcs.enableSenderProfile,
      does: "act",
      summary: "Enable a disabled profile. Waiting deliveries are then sent.",
      button: "Enable the profile",
      notice: "The profile is enabled.",
      offeredIn: ["disabled"],
      example: "--profile <profile id>",
    }),
    operation({
      verb: "disable",
      rpc: rpcs.disableSenderProfile,
      does: "act",
      summary:
        "Disable a profile. Nothing is sent through it: intents are still accepted, but their deliveries wait and fail after 24 hours.",
      button: "Disable the profile",
      notice: "The profile is disabled.",
      isDanger: true,
      offeredIn: ["active"],
      example: "--profile <profile id>",
    }),
  ],
});
