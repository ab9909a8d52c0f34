import { newId } from "@platform/kit/process/secrets";
import type { GrpcConnection } from "@platform/kit/rpc/client";
import { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import type { JSONWebKeySet } from "jose";
import type { OperatorKeys } from "./assertions.ts";

const keptMs = 5 * 60_000;
const renewedMs = 5_000;

/**
 * Caches identity-svc's keys for five minutes. An assertion with an unknown key refreshes them, but at most once every
 * five seconds, so that forged assertions do not cause many calls. While identity-svc is unavailable, the last keys are
 * used.
 */
export function fetchOperatorKeys(identity: GrpcConnection): OperatorKeys {
  const service = identity.service(OperatorAccessService);
  let known: { readonly keys: JSONWebKeySet; readonly atMs: number } | null = null;
  let asking: Promise<JSONWebKeySet> | null = null;

  const ask = async (): Promise<JSONWebKeySet> => {
    const context = { correlationId: newId(), operation: "operator-keys", projectClient: null, idempotency: null };
    const { jwksJson } = await service.getOperatorKeys({}, { context, retryUnavailable: true });
    const keys = JSON.parse(jwksJson) as JSONWebKeySet;
    known = { keys, atMs: performance.now() };
    return keys;
  };
  return async (isRenewed) => {
    const ageMs = known === null ? Number.POSITIVE_INFINITY : performance.now() - known.atMs;
    if (known !== null && ageMs < (isRenewed ? renewedMs : keptMs)) return known.keys;
    asking ??= ask().finally(() => {
      asking = null;
    });
    try {
      return await asking;
    } catch (error) {
      if (known === null) throw error;
      return known.keys;
    }
  };
}
