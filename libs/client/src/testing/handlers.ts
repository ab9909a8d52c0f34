import type { OperationId } from "@platform/contracts/operations";
import { contractRelease } from "@platform/contracts/operations/edge";
import { Refusal } from "./fail.ts";
import { filesHandlers } from "./files-handlers.ts";
import type { Handler } from "./handler.ts";
import { identityHandlers } from "./identity-handlers.ts";
import { notifyHandlers } from "./notify-handlers.ts";
import { newId } from "./state.ts";

const thresholds: Readonly<Record<string, readonly [ratio: number, durationMs: number]>> = {
  display: [5_000, 1_000],
  display_large: [3_000, 1_000],
  video: [5_000, 2_000],
};

export const handlers = {
  "edge.getHealth": () => ({ data: { status: "ok", release: contractRelease, components: [] } }),
  "edge.noop": (_state, { body, idempotencyKey, correlationId }) => ({
    data: { money: body.money, status: "completed" },
    meta: {
      release: contractRelease,
      idempotency_key: idempotencyKey,
      correlation_id: correlationId,
      replayed: false,
    },
  }),
  ...identityHandlers,
  ...filesHandlers,
  ...notifyHandlers,
  "events.createProjectAudit": ({ audits }, { body }) => {
    const audit = { id: newId(), ...body };
    audits.push(audit);
    return { data: { id: audit.id } };
  },
  "events.publishDomainEvent": ({ events, projectClient }, { body }) => {
    const { stream_id = null, sequence = null, occurred_at = null, ...rest } = body;
    const isTaken = events.some(
      (other) => stream_id !== null && other.stream_id === stream_id && other.sequence === sequence,
    );
    if (isTaken) throw new Refusal("stream_sequence_conflict");
    const published_at = new Date().toISOString();
    const event = {
      id: newId(),
      project_client_id: projectClient.id,
      ...rest,
      stream_id,
      sequence,
      occurred_at,
      published_at,
    };
    // Tests look at JavaScript values; the response has the digits of the caller's numbers.
    events.push(JSON.parse(JSON.stringify(event)));
    return { data: event };
  },
  "events.registerScheduledOperation": ({ schedules }, { body }) => {
    const id = newId();
    schedules.set(id, { id, ...body });
    return { data: { id } };
  },
  "ads.recordViewableImpression": ({ decisions }, { body }) => {
    const decision = decisions.get(body.token);
    if (decision === undefined) throw new Refusal("decision_token_invalid");
    const [ratio = 0, durationMs = 0] = thresholds[decision.format] ?? [];
    if (body.visible_ratio_basis_points < ratio || body.duration_milliseconds < durationMs) {
      throw new Refusal("viewability_not_met");
    }
    const recorded = !decision.isRecorded;
    decision.isRecorded = true;
    return {
      data: {
        recorded,
        charged_minor: recorded ? 1 : 0,
        destination_url: "https://shop.example.com/",
        attribution_token: null,
      },
    };
  },
} as const satisfies Record<OperationId, Handler>;
