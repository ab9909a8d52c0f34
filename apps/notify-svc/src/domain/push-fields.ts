import type { Channel } from "./channel.ts";

export const pushPriorities = ["normal", "high"] as const;
export type PushPriority = (typeof pushPriorities)[number];

/**
 * Fields of a push template in addition to title and text. Data, link, image, badge and collapse key are Liquid. A
 * field that is not set is null.
 */
export type PushTemplate = {
  readonly data: Readonly<Record<string, string>>;
  readonly link: string | null;
  readonly image: string | null;
  readonly badge: string | null;
  readonly sound: string | null;
  readonly ttlSeconds: number | null;
  readonly collapseKey: string | null;
  readonly priority: PushPriority | null;
};

/** The rendered fields of a push. */
export type PushContent = Omit<PushTemplate, "badge"> & { readonly badge: number | null };

/** Thrown for a rendered field that its provider would reject. The message names the field and the channel. */
export class PushFieldInvalid extends Error {}

/** Maximum number of seconds for which FCM and browsers' push services keep a push: four weeks. */
const ttlSecondsMax = 4 * 7 * 24 * 60 * 60;
const dataMax = 50;
const soundPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const dataName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
/** Names that FCM (https://firebase.google.com/docs/cloud-messaging), APNs or this platform interpret themselves. */
const reservedData = /^(?:aps|delivery_id|link|image|from|notification|message_type|collapse_key|google.*|gcm.*)$/i;
/** Maximum length of the collapse key, because APNs rejects a longer apns-collapse-id. */
const collapseKeyBytesMax = 64;
/** Maximum length of an image's URL at LINE (https://developers.line.biz/en/reference/messaging-api/#image-message). */
const urlMax = 2_000;
const badgeMax = 2 ** 31 - 1;
/**
 * Schemes of links that are rejected, because a browser or WebView that opens them would execute or read their
 * contents.
 */
const refusedSchemes = /^(?:javascript|data|vbscript|blob|file|filesystem|about|view-source|http):$/;

/** The fields that LINE supports. The time to live only limits the platform's own attempts, because LINE has none. */
const lineFields: readonly (keyof PushTemplate)[] = ["link", "image", "ttlSeconds"];
const catalogNames: Readonly<Record<keyof PushTemplate, string>> = {
  data: "data",
  link: "link",
  image: "image",
  badge: "badge",
  sound: "sound",
  ttlSeconds: "ttl_seconds",
  collapseKey: "collapse_key",
  priority: "priority",
};

/**
 * Checks the fields that are the same in every message.
 * @returns the name of the invalid field and its requirement, or null
 */
export function pushTemplateProblem(
  channel: Channel,
  push: PushTemplate,
): { readonly field: string; readonly problem: string } | null {
  const given = (Object.keys(catalogNames) as (keyof PushTemplate)[]).filter((name) =>
    name === "data" ? Object.keys(push.data).length > 0 : push[name] !== null,
  );
  const taken = channel === "email" ? [] : channel === "line" ? lineFields : given;
  const left = given.find((name) => !taken.includes(name));
  if (left !== undefined) return { field: catalogNames[left], problem: `a message by ${channel} has none` };
  const names = Object.keys(push.data);
  if (names.length > dataMax) return { field: "data", problem: `at most ${dataMax} entries` };
  const badName = names.find((name) => !dataName.test(name) || reservedData.test(name));
  if (badName !== undefined) {
    const problem = reservedData.test(badName)
      ? `${badName} is a name that the provider or the platform uses itself`
      : `${badName}: 1 to 64 letters, digits, _ and -, a letter first`;
    return { field: "data", problem };
  }
  if (push.sound !== null && !soundPattern.test(push.sound)) {
    return { field: "sound", problem: "the name of a sound in the app, default or none" };
  }
  if (push.ttlSeconds !== null && (push.ttlSeconds < 1 || push.ttlSeconds > ttlSecondsMax)) {
    return { field: "ttl_seconds", problem: `1 to ${ttlSecondsMax}` };
  }
  return null;
}

/** The Liquid texts of a push, by the names that errors use. */
export function pushSources(push: PushTemplate | null): Record<string, string> {
  if (push === null) return {};
  const fields = { link: push.link, image: push.image, badge: push.badge, collapse_key: push.collapseKey };
  return Object.fromEntries([
    ...Object.entries(push.data).map(([name, text]) => [`data.${name}`, text]),
    ...Object.entries(fields).filter(([, text]) => text !== null),
  ]) as Record<string, string>;
}

/**
 * Reads the rendered texts of a push. A field whose text is empty is left out, so that a condition in the template
 * can omit it.
 * @param rendered by the names of `pushSources`
 * @throws PushFieldInvalid
 */
export function readPushContent(
  channel: Channel,
  push: PushTemplate,
  rendered: Readonly<Record<string, string>>,
): PushContent {
  const textOf = (name: string): string | null => {
    const text = (rendered[name] ?? "").trim();
    return text === "" ? null : text;
  };
  const refuse = (field: string, problem: string): never => {
    throw new PushFieldInvalid(`${field} of the ${channel} message: ${problem}`);
  };
  const link = textOf("link");
  // Browsers open only https addresses from a push, and LINE turns only https addresses into links.
  const needsHttps = channel === "web_push" || channel === "line";
  if (link !== null && !isLink(link, needsHttps)) {
    refuse("link", needsHttps ? "must be an https: URL" : "must be an https: URL, or one with the scheme of an app");
  }
  const image = textOf("image");
  if (image !== null && !isLink(image, true)) refuse("image", "must be an https: URL");
  const badge = textOf("badge");
  if (badge !== null && (!/^\d{1,10}$/.test(badge) || Number(badge) > badgeMax)) {
    refuse("badge", `must be an integer from 0 to ${badgeMax}`);
  }
  const collapseKey = textOf("collapse_key");
  if (collapseKey !== null && !isCollapseKey(collapseKey)) {
    refuse("collapse_key", `must have at most ${collapseKeyBytesMax} printable ASCII characters`);
  }
  return {
    data: Object.fromEntries(Object.keys(push.data).map((name) => [name, rendered[`data.${name}`] ?? ""])),
    link,
    image,
    badge: badge === null ? null : Number(badge),
    sound: push.sound,
    ttlSeconds: push.ttlSeconds,
    collapseKey,
    priority: push.priority,
  };
}

function isLink(text: string, needsHttps: boolean): boolean {
  if (text.length > urlMax || !/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  if (username !== "" || password !== "") return false;
  return protocol === "https:" || (!needsHttps && !refusedSchemes.test(protocol));
}

/**
 * Returns whether the text can be a collapse key. APNs receives it in a header, so it may contain only characters
 * that a header allows.
 */
function isCollapseKey(text: string): boolean {
  return text.length <= collapseKeyBytesMax && /^[\x20-\x7e]+$/.test(text);
}
