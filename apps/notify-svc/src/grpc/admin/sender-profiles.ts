import { setTimeout as delay } from "node:timers/promises";
import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import { revisionConflict } from "@platform/operator-plane/operators";
import type { CreateSenderProfileRequest, ListSenderProfilesRequest } from "@platform/proto/notify/v1/notify_admin";
import type {
  TestSenderProfileRequest,
  UpdateSenderProfileRequest,
} from "@platform/proto/notify/v1/sender_profile_admin";
import { type Channel, isChannel } from "../../domain/channel.ts";
import {
  type ChannelConfig,
  readChannelConfig,
  type SenderProfile,
  SenderProfileConfigInvalid,
  type SenderProfileStatus,
} from "../../domain/sender-profile.ts";
import { contractViolation } from "../failures.ts";
import type { RpcDeps } from "../rpc-deps.ts";
import { encodeSenderProfiles } from "./encode-sender-profiles.ts";
import { isObject, mergePatch, parseJson } from "./merge-patch.ts";
import { requireClientId } from "./require-client-id.ts";

type ProfileRequest = { readonly senderProfileId: string };

const overlapSecondsDefault = 86_400;
const overlapSecondsMax = 30 * 86_400;
const testWaitMs = 25_000;
const testPollMs = 100;

/** Stores a sender profile and releases the verification pushes that waited for a profile of its channel. */
export const createSenderProfile = (deps: RpcDeps) => async (request: CreateSenderProfileRequest) => {
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

/** Lists a client's sender profiles, without their configuration. */
export const listSenderProfiles =
  ({ stores }: RpcDeps) =>
  async (request: ListSenderProfilesRequest) => {
    const profiles = await stores.senderProfiles.list(requireClientId(request.projectClientId));
    return { senderProfiles: await encodeSenderProfiles(stores, profiles) };
  };

/** Shows one profile, without its secrets. */
export const showSenderProfile = (deps: RpcDeps) => async (request: ProfileRequest) =>
  encodeOne(deps, await find(deps, request));

/** Replaces a profile's configuration under its id. */
export const updateSenderProfile = (deps: RpcDeps) => async (request: UpdateSenderProfileRequest) => {
  const { overlapSeconds = overlapSecondsDefault } = request;
  if (overlapSeconds > overlapSecondsMax) {
    throw contractViolation("/overlap_seconds", "out_of_range", `at most ${overlapSecondsMax}`);
  }
  const profile = await find(deps, request);
  requireRevision(profile, request.revision);
  const config = readProfileConfig(deps, profile.channel, await configJsonOf(deps, profile, request));
  const now = deps.clock();
  const previousUntil = new Date(now.getTime() + overlapSeconds * 1000);
  const updated = await deps.stores.senderProfiles.replaceConfig(profile, config, { now, previousUntil });
  if (updated === null) throw revisionConflict("sender profile", (await find(deps, request)).revision);
  return encodeOne(deps, updated);
};

/** Throws revision_conflict if the caller has read a revision that is no longer the current one. */
function requireRevision({ revision }: SenderProfile, read: number | undefined): void {
  if (read !== undefined && read !== revision) throw revisionConflict("sender profile", revision);
}

/** Returns the complete configuration that results from a request. */
async function configJsonOf(
  { stores }: RpcDeps,
  profile: SenderProfile,
  { configJson, changesJson }: UpdateSenderProfileRequest,
): Promise<string> {
  if ((configJson === "") === (changesJson === "")) {
    throw contractViolation("/config_json", "required", "or changes_json, not both");
  }
  if (changesJson === "") return configJson;
  const present = await stores.senderProfiles.readConfig(profile.id);
  const changes = parseJson(changesJson);
  if (!isObject(changes)) throw contractViolation("/changes_json", "invalid_format", "must be a JSON object");
  return JSON.stringify(mergePatch(present?.config ?? {}, changes));
}

/** Disables a profile and stops its deliveries. */
export const disableSenderProfile = (deps: RpcDeps) => (request: ProfileRequest) =>
  setStatus(deps, request, "disabled");

/** Enables a profile and releases waiting deliveries, including verification pushes. */
export const enableSenderProfile = (deps: RpcDeps) => async (request: ProfileRequest) => {
  const answer = await setStatus(deps, request, "active");
  const { projectClientId, channel } = await find(deps, request);
  await deps.stores.endpoints.wakePushes(projectClientId, channel, deps.clock());
  return answer;
};

/** Lets a worker send a test message, and waits for the provider's response. */
export const testSenderProfile = (deps: RpcDeps) => async (request: TestSenderProfileRequest) => {
  const { profileTests } = deps.stores;
  const { id: senderProfileId, projectClientId } = await find(deps, request);
  if (request.to.trim() === "") throw contractViolation("/to", "required", "the address to send to");
  const id = newId();
  await profileTests.insert({ id, projectClientId, senderProfileId, to: request.to.trim(), createdAt: deps.clock() });
  const untilMs = performance.now() + testWaitMs;
  while (performance.now() < untilMs) {
    const result = await profileTests.readResult(id);
    if (result !== null) {
      await profileTests.remove(id);
      return result;
    }
    await delay(testPollMs);
  }
  return { accepted: false, detail: "no_worker" };
};

/** Reads a channel configuration. Throws contract_violation if it cannot be used. */
function readProfileConfig(deps: RpcDeps, channel: Channel, configJson: string): ChannelConfig {
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

async function setStatus(deps: RpcDeps, { senderProfileId }: ProfileRequest, status: SenderProfileStatus) {
  const profile = await deps.stores.senderProfiles.setStatus(senderProfileId.toLowerCase(), status, deps.clock());
  if (profile === null) throw profileNotFound();
  return encodeOne(deps, profile);
}

async function find({ stores }: RpcDeps, { senderProfileId }: ProfileRequest): Promise<SenderProfile> {
  const profile = await stores.senderProfiles.findForOperator(senderProfileId.toLowerCase());
  if (profile === null) throw profileNotFound();
  return profile;
}

function profileNotFound(): ServiceError {
  return new ServiceError("sender_profile_not_found", "No such sender profile.");
}

async function encodeOne({ stores }: RpcDeps, profile: SenderProfile) {
  const [senderProfile] = await encodeSenderProfiles(stores, [profile]);
  return defined({ senderProfile });
}
