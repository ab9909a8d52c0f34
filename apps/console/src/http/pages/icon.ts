import { html, type SafeHtml } from "@platform/kit/web/http";
import { assetAddress } from "../assets.ts";

/** The icons of the UI kit that pages show. `npm run generate` writes them into `assets/icons.svg`. */
export const iconNames = [
  "activity-heartbeat",
  "address-book",
  "alert-triangle",
  "calendar-time",
  "chevron-left",
  "chevron-right",
  "circle-check",
  "circle-x",
  "clipboard-list",
  "clock",
  "copy",
  "device-desktop",
  "device-mobile",
  "download",
  "eraser",
  "file",
  "folders",
  "history",
  "home",
  "inbox",
  "info-circle",
  "key",
  "list-search",
  "logout",
  "mail-forward",
  "mail-off",
  "menu-2",
  "photo",
  "photo-cog",
  "plug-connected",
  "repeat-off",
  "search",
  "selector",
  "send",
  "server",
  "speakerphone",
  "template",
  "timeline-event",
  "transfer",
  "users",
  "webhook",
  "x",
] as const;
export type IconName = (typeof iconNames)[number];

/** Renders an icon in the colour of the surrounding text. A word with the same meaning must be next to it. */
export const icon = (name: IconName): SafeHtml =>
  html`<svg class="icon" aria-hidden="true"><use href="${assetAddress("icons.svg")}#${name}"></use></svg>`;
