import { envFields } from "@platform/kit/process/env";
import { isRoleName, type RoleName } from "@platform/kit/rpc/client";
import { defineServiceConfig } from "@platform/kit/service/config";
import { readMailbox } from "@platform/kit/web/mail";
import { z } from "zod";
import { brandColourProblem, brandLinkProblem, brandNameLengthMax, type ShownBrand } from "./domain/brand.ts";
import { overlayQuotaDefaults } from "./domain/quota-defaults.ts";
import type { RoleMap } from "./operations/provider-roles.ts";

const quotaDefaults = z
  .string()
  .default("{}")
  .transform((text, context) => {
    try {
      const overrides = z
        .record(z.string(), z.union([z.number(), z.record(z.string(), z.number())]))
        .parse(JSON.parse(text));
      return overlayQuotaDefaults(overrides);
    } catch (error) {
      context.addIssue(`must be JSON of limits by environment and resource: ${(error as Error).message}`);
      return z.NEVER;
    }
  });

const checkedBy = (problemOf: (text: string) => string | null) =>
  z
    .string()
    .superRefine((text, context) => {
      const problem = problemOf(text);
      if (problem !== null) context.addIssue(problem);
    })
    .nullable()
    .default(null);

const platformBrand = z.strictObject({
  name: z.string().min(1).max(brandNameLengthMax).nullable().default(null),
  colour: checkedBy(brandColourProblem),
  terms_url: checkedBy(brandLinkProblem),
  privacy_url: checkedBy(brandLinkProblem),
});

/** JSON of the platform's own brand, such as `{"name": "Acme ID", "colour": "#1d4ed8", "privacy_url": "https://…"}`. */
const hostedBrand = z
  .string()
  .default("{}")
  .transform((text, context): ShownBrand => {
    try {
      return { ...platformBrand.parse(JSON.parse(text)), logo_url: null };
    } catch (error) {
      const problem = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
      context.addIssue(`must be JSON with name, colour, terms_url and privacy_url: ${problem}`);
      return z.NEVER;
    }
  });

/** Sender of the emails: an address, or a name with an address in angle brackets. */
const mailFrom = z
  .string()
  .default("Platform Accounts <accounts@platform.example>")
  .transform((text, context) => {
    const mailbox = readMailbox(text);
    if (mailbox !== null) return mailbox;
    context.addIssue("must be an address, or a name with an address in angle brackets: Name <a@b.example>");
    return z.NEVER;
  });

/**
 * Plain HTTP is allowed only to this machine, because an attacker who can alter the responses could make anyone an
 * operator.
 */
const operatorIssuer = z
  .url()
  .refine(
    (text) => /^https:/.test(text) || /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/.test(text),
    "must be https, or http on loopback",
  )
  .optional();

const namesIn = (text: string): string[] => text.split(",").map((name) => name.trim());

/**
 * JSON that maps the provider's names to roles of the platform, such as `{"platform-admins": ["operator", "viewer"],
 * "helpdesk": "support"}`.
 */
const operatorRoleMap = z
  .string()
  .default("{}")
  .transform((text, context): RoleMap => {
    try {
      const role = z.string().refine(isRoleName, "must be a role of the platform");
      const read = z.record(z.string(), z.union([role, z.array(role)])).parse(JSON.parse(text));
      return new Map(Object.entries(read).map(([theirs, ours]) => [theirs, [ours].flat()] as [string, RoleName[]]));
    } catch (error) {
      context.addIssue(`must be JSON of the provider's names and our roles: ${(error as Error).message}`);
      return z.NEVER;
    }
  });

export const { readBackupConfig, readMigrationConfig, readServerConfig, readWorkerConfig } = defineServiceConfig({
  database: "identity",
  ports: { grpc: 8090, http: 8091, serverProbes: 8120, workerProbes: 8140 },
  env: {
    PUBLIC_BASE_URL: envFields.url.default("http://127.0.0.1:8080"),
    CONSOLE_BASE_URL: envFields.url.default("http://127.0.0.1:8110"),
    SMTP_URL: z
      .string()
      .regex(/^smtps?:\/\//, "must start with smtp:// or smtps://")
      .default("smtp://127.0.0.1:1025"),
    MAIL_FROM: mailFrom,
    HOSTED_BRAND: hostedBrand,
    RECENT_AUTH_SECONDS: z.coerce.number().int().min(1).max(86_400).default(600),
    QUOTA_DEFAULTS: quotaDefaults,
    DEPLOYMENT_ENVIRONMENT: envFields.deploymentEnvironment,
    OPERATOR_OIDC_ISSUER: operatorIssuer,
    OPERATOR_OIDC_CLIENT_IDS: z.string().default("platformctl"),
    OPERATOR_OIDC_ROLES_CLAIM: z.string().default("roles"),
    OPERATOR_OIDC_ROLE_MAP: operatorRoleMap,
    OPERATOR_OIDC_SCOPE: z.string().default("openid profile email"),
    MEMBERS_OIDC_ISSUER: operatorIssuer,
    MEMBERS_OIDC_CLIENT_IDS: z.string().default("platformctl"),
    MEMBERS_OIDC_SCOPE: z.string().default("openid profile email"),
  },
  requiredBeyondDevelopment: {
    OPERATOR_OIDC_ISSUER: "the identity provider where operators sign in; the operator token is for emergencies",
  },
  settings: (env) => ({
    publicBaseUrl: env.PUBLIC_BASE_URL,
    consoleUrl: env.CONSOLE_BASE_URL,
    platformBrand: env.HOSTED_BRAND,
    mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM },
    recentAuthenticationSeconds: env.RECENT_AUTH_SECONDS,
    quotaDefaults: env.QUOTA_DEFAULTS,
    /** Identity provider at which operators sign in, or null. */
    operatorSignIn:
      env.OPERATOR_OIDC_ISSUER === undefined
        ? null
        : {
            issuer: env.OPERATOR_OIDC_ISSUER,
            clientIds: namesIn(env.OPERATOR_OIDC_CLIENT_IDS),
            roles: { claim: env.OPERATOR_OIDC_ROLES_CLAIM, map: env.OPERATOR_OIDC_ROLE_MAP },
            scope: env.OPERATOR_OIDC_SCOPE,
          },
    /**
     * The provider at which members of projects sign in, or null if it is the operators' provider. It gives nobody a
     * role on the platform.
     */
    memberSignIn:
      env.MEMBERS_OIDC_ISSUER === undefined
        ? null
        : {
            issuer: env.MEMBERS_OIDC_ISSUER,
            clientIds: namesIn(env.MEMBERS_OIDC_CLIENT_IDS),
            roles: null,
            scope: env.MEMBERS_OIDC_SCOPE,
          },
  }),
});

export type ServerConfig = ReturnType<typeof readServerConfig>;
export type WorkerConfig = ReturnType<typeof readWorkerConfig>;
