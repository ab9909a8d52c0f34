import { createECDH, createPrivateKey } from "node:crypto";
import { isEmailAddress, needsSmtpUtf8, readMailbox } from "@platform/kit/web/mail";
import { z } from "zod";
import { sendModes } from "./capture.ts";
import type { Channel } from "./channel.ts";

const line = z
  .string()
  .min(1)
  .max(998)
  .refine((text) => !/[\r\n\0]/.test(text), "must be one line");

/** Fields of every channel's configuration. */
const everyChannel = {
  /** Language that is used if a template lacks the requested one. */
  default_locale: z.string().min(1).max(20).optional(),
  /** True if verification pushes of the channel are sent with this profile. */
  verification: z.boolean().default(false),
  /** Whether messages are sent to the provider or captured; by default those of a sandbox are captured. */
  mode: z.enum(sendModes).optional(),
};

function isKeyOf(type: "rsa" | "ec", pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === type;
  } catch {
    return false;
  }
}

const rsaKey = z.string().refine((pem) => isKeyOf("rsa", pem), "must be an RSA private key in PEM");
const ecKey = z.string().refine((pem) => isKeyOf("ec", pem), "must be an EC (P-256) private key in PEM");

const smtpUrl = z
  .string()
  .refine((text) => /^smtps?:\/\/[^/]/.test(text) && URL.canParse(text), "must be smtp://… or smtps://…");

const domainName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i, "must be a domain name");

/**
 * Returns whether the private key belongs to the public key. A push service rejects every message of a pair that does
 * not match.
 */
function isVapidPair(pair: { readonly public_key: string; readonly private_key: string }): boolean {
  try {
    const ecdh = createECDH("prime256v1");
    ecdh.setPrivateKey(Buffer.from(pair.private_key, "base64url"));
    return ecdh.getPublicKey().equals(Buffer.from(pair.public_key, "base64url"));
  } catch {
    return false;
  }
}

const configSchemas = {
  email: z.strictObject({
    ...everyChannel,
    /** The sender as people write it: `a@b.example` or `Name <a@b.example>`. */
    from: line,
    /**
     * Server that accepts the email; by default the SMTP_URL of the process. `smtp:` uses STARTTLS, `smtps:` uses TLS
     * from the start.
     */
    smtp_url: smtpUrl.optional(),
    reply_to: line.optional(),
    /** Domain of the return paths, whose mail exchanger is the process `bounces`. Without it, bounces go to the sender's address. */
    bounce_domain: domainName.optional(),
    dkim: z
      .strictObject({
        domain: domainName,
        selector: z.string().regex(/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i, "must be a DKIM selector"),
        private_key: rsaKey,
      })
      .optional(),
  }),
  fcm: z.strictObject({
    ...everyChannel,
    project_id: z.string().regex(/^[a-z0-9:.-]{1,100}$/, "must be a Firebase project ID"),
    client_email: line,
    private_key: rsaKey,
  }),
  apns: z.strictObject({
    ...everyChannel,
    team_id: z.string().regex(/^[A-Z0-9]{1,32}$/i),
    key_id: z.string().regex(/^[A-Z0-9]{1,32}$/i),
    topic: z.string().regex(/^[A-Za-z0-9.-]{1,255}$/, "must be a bundle ID"),
    private_key: ecKey,
    environment: z.enum(["production", "sandbox"]).default("production"),
  }),
  line: z.strictObject({ ...everyChannel, channel_access_token: z.string().regex(/^[\x21-\x7e]+$/) }),
  web_push: z
    .strictObject({
      ...everyChannel,
      /** Contact of the application server's operator, which push services may use (RFC 8292 §2.1). */
      subject: line,
      public_key: z.string(),
      private_key: z.string(),
    })
    .refine(isVapidPair, {
      path: ["private_key"],
      message: "must be the private key of public_key (VAPID, base64url)",
    }),
} as const;

export type EmailConfig = z.output<(typeof configSchemas)["email"]>;
export type FcmConfig = z.output<(typeof configSchemas)["fcm"]>;
export type ApnsConfig = z.output<(typeof configSchemas)["apns"]>;
export type LineConfig = z.output<(typeof configSchemas)["line"]>;
export type WebPushConfig = z.output<(typeof configSchemas)["web_push"]>;

/** A channel's configuration, together with the channel. */
export type ChannelConfig =
  | { readonly channel: "email"; readonly config: EmailConfig }
  | { readonly channel: "fcm"; readonly config: FcmConfig }
  | { readonly channel: "apns"; readonly config: ApnsConfig }
  | { readonly channel: "line"; readonly config: LineConfig }
  | { readonly channel: "web_push"; readonly config: WebPushConfig };

/** The settings with which a Project Client sends through one channel, without their secrets. */
export type SenderProfile = {
  readonly id: string;
  readonly projectClientId: string;
  readonly channel: Channel;
  readonly name: string;
  readonly defaultLocale: string | null;
  readonly verification: boolean;
  readonly status: SenderProfileStatus;
  /** Number of the current configuration, counted from 1. */
  readonly revision: number;
  readonly createdAt: Date;
  /** Time at which the configuration was last replaced; null if it never was. */
  readonly updatedAt: Date | null;
  /** Time until which the previous configuration is kept; null if there is none. */
  readonly previousUntil: Date | null;
};

export type SenderProfileStatus = "active" | "disabled";

/** A profile's configuration for a worker: the current one, and during an overlap the previous one. */
export type OpenedProfile = {
  readonly current: KeyedConfig;
  readonly previous: (KeyedConfig & { readonly until: Date }) | null;
};

/** A configuration, with the key under which its connections and tokens are cached. */
export type KeyedConfig = { readonly key: string; readonly config: ChannelConfig };

/** Key of the connections of one configuration of a profile. */
export function profileKey(profileId: string, revision: number): string {
  return `${profileId}:${revision}`;
}

const credentialFaults: Readonly<Record<Channel, RegExp>> = {
  email: /^smtp_(?:auth_refused|530|534|535)$/,
  fcm: /^fcm_(?:token_refused|unauthenticated|permission_denied|third_party_auth_error|sender_id_mismatch|401|403)$/,
  apns: /^apns_(?:\w*provider_token|bad_certificate\w*|forbidden|403)$/,
  line: /^line_40[13]$/,
  web_push: /^web_push_40[13]$/,
};

/** Returns whether the provider rejected the profile's credentials, as opposed to the message. */
export function isCredentialFault(channel: Channel, errorCode: string): boolean {
  return credentialFaults[channel].test(errorCode);
}

/** Thrown for an unusable configuration. Its message describes the problem and contains no secret. */
export class SenderProfileConfigInvalid extends Error {}

/**
 * Lists problems of a configuration that earlier versions accepted. Messages are still sent with such a
 * configuration, but it is rejected when it is changed.
 */
function problemsOf({ channel, config }: ChannelConfig): string[] {
  if (channel === "web_push") {
    return isContact(config.subject)
      ? []
      : ["subject: must be an https: URL, or mailto: with one address, in ASCII: mailto:ops@shop.example"];
  }
  if (channel !== "email") return [];
  const named = "must be one address, or a name with an address in angle brackets: Shop <news@shop.example>";
  const replyTo = config.reply_to === undefined ? null : readMailbox(config.reply_to);
  return [
    ...(readMailbox(config.from) === null ? [`from: ${named}`] : []),
    ...(config.reply_to !== undefined && replyTo === null ? [`reply_to: ${named}`] : []),
    // The address appears in a header of every email, including those sent through servers without SMTPUTF8.
    ...(replyTo !== null && needsSmtpUtf8(replyTo.address) ? ["reply_to: must be ASCII before the @"] : []),
  ];
}

/**
 * Returns whether the text is a contact by RFC 8292 §2.1: a mailto: or https: URI. Push services reject every message
 * with any other contact.
 */
function isContact(subject: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(subject) || !URL.canParse(subject)) return false;
  const address = /^mailto:([^?#]*)$/.exec(subject)?.[1];
  if (address === undefined) return /^https:\/\/[^/?#@]+(?:[/?#]|$)/.test(subject);
  try {
    return isEmailAddress(decodeURIComponent(address));
  } catch {
    return false;
  }
}

/**
 * Reads a sender profile's configuration as operators enter it.
 * @throws SenderProfileConfigInvalid
 */
export function readChannelConfig(channel: Channel, configJson: string): ChannelConfig {
  const config = readStoredConfig(channel, configJson);
  const problems = problemsOf(config);
  if (problems.length > 0) throw new SenderProfileConfigInvalid(problems.join("; "));
  return config;
}

/**
 * Reads a stored configuration. An earlier version may have accepted it although this one would not.
 * @throws SenderProfileConfigInvalid
 */
export function readStoredConfig(channel: Channel, configJson: string): ChannelConfig {
  let parsed: unknown;
  try {
    parsed = JSON.parse(configJson);
  } catch {
    throw new SenderProfileConfigInvalid("the configuration is not JSON");
  }
  const result = configSchemas[channel].safeParse(parsed);
  if (result.success) return { channel, config: result.data } as ChannelConfig;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".") || "config"}: ${message}`);
  throw new SenderProfileConfigInvalid(problems.join("; "));
}
