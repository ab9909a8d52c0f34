import { setTimeout as delay } from "node:timers/promises";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { newId } from "@platform/kit/process/secrets";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import type {
  TestSenderProfileRequest,
  UpdateSenderProfileRequest,
} from "@platform/proto/notify/v1/sender_profile_admin";
import type { SenderProfile, SenderProfileStatus } from "../../domain/sender-profile.ts";
import { contractViolation } from "../failures.ts";
import type { RpcDeps } from "../rpc-deps.ts";
import { readProfileConfig } from "./create-sender-profile.ts";
import { isObject, mergePatch, parseJson } from "./merge-patch.ts";

type ProfileRequest = { readonly senderProfileId: string };

const overlapSecondsDefault = 86_400;
const overlapSecondsMax = 30 * 86_400;
const testWaitMs = 25_000;
const testPollMs = 100;

/** One profile, without secrets. */
export const showSenderProfile = (deps: RpcDeps) => async (request: ProfileRequest) => ({
  senderProfile: encodeSenderProfile(await find(deps, request)),
});

/** Replaces a profile's configuration under its id. */
export const updateSenderProfile = (deps: RpcDeps) => async (request: UpdateSenderProfileRequest) => {
  const { overlapSeconds = overlapSecondsDefault } = request;
  if (overlapSeconds > overlapSecondsMax) {
    throw contractViolation("/overlap_seconds", "out_of_range", `at most ${overlapSecondsMax}`);
  }
  const profile = await find(deps, request);
  const config = readProfileConfig(deps, profile.channel, await configJsonOf(deps, profile, request));
  const now = deps.clock();
  const previousUntil = new Date(now.getTime() + overlapSeconds * 1000);
  const updated = await deps.stores.senderProfiles.replaceConfig(profile, config, { now, previousUntil });
  if (updated === null) {
    throw contractViolation("/sender_profile_id", "invalid_state", "another update came first; look at it and repeat");
  }
  return { senderProfile: encodeSenderProfile(updated) };
};

/** The whole configuration that a request asks for. */
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

/** Enables a profile and releases what waited, verification pushes too. */
export const enableSenderProfile = (deps: RpcDeps) => async (request: ProfileRequest) => {
  const answer = await setStatus(deps, request, "active");
  const { projectClientId, channel } = await find(deps, request);
  await deps.stores.endpoints.wakePushes(projectClientId, channel, deps.clock());
  return answer;
};

/** Has a worker send a test message, and waits for what the provider says. */
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

async function setStatus(deps: RpcDeps, { senderProfileId }: ProfileRequest, status: SenderProfileStatus) {
  const profile = await deps.stores.senderProfiles.setStatus(senderProfileId.toLowerCase(), status, deps.clock());
  if (profile === null) throw profileNotFound();
  return { senderProfile: encodeSenderProfile(profile) };
}

async function find({ stores }: RpcDeps, { senderProfileId }: ProfileRequest): Promise<SenderProfile> {
  const profile = await stores.senderProfiles.findForOperator(senderProfileId.toLowerCase());
  if (profile === null) throw profileNotFound();
  return profile;
}

function profileNotFound(): ServiceError {
  return new ServiceError("sender_profile_not_found", "No such sender profile.");
}

/** A profile as operators see it. */
export function encodeSenderProfile(profile: SenderProfile) {
  return {
    id: profile.id,
    projectClientId: profile.projectClientId,
    channel: profile.channel,
    name: profile.name,
    defaultLocale: profile.defaultLocale ?? "",
    verification: profile.verification,
    status: profile.status,
    createdAt: timestampFromDate(profile.createdAt),
    ...optionalTimestamp("updatedAt", profile.updatedAt),
    ...optionalTimestamp("previousUntil", profile.previousUntil),
  };
}
