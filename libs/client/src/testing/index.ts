import { answer } from "./answer.ts";
import { found } from "./fail.ts";
import { listen } from "./listen.ts";
import { callScheduled, sendEvent } from "./signed-calls.ts";
import { newId, newState, newToken } from "./state.ts";
import type { CreateFakePlatform, FakePlatform } from "./types.ts";

export type * from "./types.ts";

export const createFakePlatform: CreateFakePlatform = (options = {}) => {
  const state = newState(options);
  const serve = (request: Request): Promise<Response> => answer(state, request);
  const platform = {
    baseUrl: "http://platform.test",
    projectClientId: state.projectClient.id,
    credential: state.credential,
    imagePresetId: state.imagePresetId,
    fetch: async (input, init) => serve(new Request(input, init)),
    listen: () => listen(serve),
    requests: state.requests,
    events: state.events,
    notifications: state.notifications,
    failNext: (operationId, code, times = 1) => {
      for (let time = 0; time < times; time += 1) state.nextFailures.push({ operationId, code });
    },
    setLimit: (resource, limit) => {
      state.limits[resource] = limit;
    },
    rejectNextUpload: (reason) => void state.nextRejections.push(reason),
    failNextDelivery: (lastErrorCode) => void state.nextDeliveryErrors.push(lastErrorCode),
    linkAccount: (transactionId) => {
      const account_id = newId();
      const transaction = found(state.transactions.get(transactionId), "identity_migration_transaction_not_found");
      Object.assign(transaction, { status: "link_pending", account_id });
      return account_id;
    },
    createSession: () => {
      const session = `psess_${newToken().slice(0, 32)}_${newToken()}`;
      state.sessions.set(session, newId());
      return session;
    },
    verificationToken: (endpointId) =>
      found(state.endpoints.get(endpointId), "delivery_endpoint_not_found").token ?? "",
    verificationLinkToken: (transactionId) => found(state.mailedTokens.get(transactionId), "verification_link_invalid"),
    decideAd: (format = "display") => {
      const token = `fake.${newToken()}`;
      state.decisions.set(token, { format, isRecorded: false });
      return token;
    },
    callScheduled: (operationId, target) => callScheduled(state, operationId, target),
    sendEvent: (operationId, event, target) => sendEvent(state, operationId, event, target),
  } satisfies FakePlatform;
  return platform;
};
