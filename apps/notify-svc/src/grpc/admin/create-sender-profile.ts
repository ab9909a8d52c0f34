import { newId } from "@platform/kit/process/secrets";
import type { ServerCall } from "@platform/kit/rpc/server";
import type { CreateSenderProfileRequest } from "@platform/proto/notify/v1/notify_admin";
import { type Channel, isChannel } from "../../domain/channel.ts";
import { type ChannelConfig, readChannelConfig, SenderProfileConfigInvalid } from "../../domain/sender-profile.ts";
import { contractViolation } from "../failures.ts";
import type { RpcDeps } from "../rpc-deps.ts";
import { requireClientId } from "./require-client-id.ts";

/** Stores a sender profile and releases verification pushes that waited for one of its channel. */
export const createSenderProfile =
  (deps: RpcDeps) => async (request: CreateSenderProfileRequest, _call: ServerCall) => {
    const { stores, clock } = deps;
    const projectClientId = requireClientId(request.projectClientId);
    const { channel, name } = request;
    if (!isChannel(channel)) {
      throw contractViolation("/channel", "invalid_value", "must be email, fcm, apns, line or web_push");
    }
    if (name.length < 1 || name.length > 120) throw contractViolation("/name", "invalid_length", "1 to 120 characters");
    const config = readProfileConfig(deps, channel, request.configJson);
    const id = newId();
    const now = clock();
    await stores.senderProfiles.insert(
      {
        id,
        projectClientId,
        channel,
        name,
        defaultLocale: config.config.default_locale ?? null,
        verification: config.config.verification,
        status: "active",
        revision: 1,
        createdAt: now,
        updatedAt: null,
        previousUntil: null,
      },
      config,
    );
    await stores.endpoints.wakePushes(projectClientId, channel, now);
    return { id };
  };

/** Reads a configuration of a channel. Throws contract_violation for one that cannot be used. */
export function readProfileConfig(deps: RpcDeps, channel: Channel, configJson: string): ChannelConfig {
  try {
    const config = readChannelConfig(channel, configJson);
    if (config.channel === "email" && config.config.smtp_url === undefined && !deps.hasDefaultSmtp) {
      throw new SenderProfileConfigInvalid("smtp_url: required, as the service has no SMTP_URL");
    }
    return config;
  } catch (error) {
    if (!(error instanceof SenderProfileConfigInvalid)) throw error;
    throw contractViolation("/config", "invalid_value", error.message);
  }
}
