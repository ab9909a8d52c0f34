import { parts as ads } from "@platform/ads-svc/parts";
import { part as operatorConsole } from "@platform/console/part";
import { parts as events } from "@platform/events-svc/parts";
import { parts as files } from "@platform/files-svc/parts";
import { part as gateway } from "@platform/gateway/part";
import { parts as identity } from "@platform/identity-svc/parts";
import { parts as notify } from "@platform/notify-svc/parts";
import type { Part } from "@platform/service-kit/process/part";

/** All parts of the platform for `startTogether`: callers first, then what they call. Every service asks identity-svc about Project Clients when it starts. */
export const platformLayers: readonly (readonly Part[])[] = [
  [gateway, operatorConsole],
  [...files, ...notify, ...events, ...ads],
  identity,
];
