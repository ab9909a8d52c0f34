/** The meaning of a state for people. Pills and plots use the same colour for it. */
export type Tone = "good" | "bad" | "wait" | "plain";

const tones: readonly (readonly [Tone, readonly string[]])[] = [
  [
    "good",
    [
      "active",
      "published",
      "sent",
      "holds",
      "verified",
      "succeeded",
      "available",
      "completed",
      "done",
      "ok",
      "valid",
      "granted",
      "clean",
      "2xx",
    ],
  ],
  [
    "bad",
    [
      "failed",
      "down",
      "rejected",
      "disabled",
      "revoked",
      "broken",
      "verification_failed",
      "infected",
      "refused",
      "5xx",
      "withdrawn",
      "taken_down",
      "page",
    ],
  ],
  [
    "wait",
    "4xx pending sending running degraded quarantined paused deferred link_pending pending_upload exhausted started waiting ticket not_verified queued not_sent".split(
      " ",
    ),
  ],
];

/** Returns the tone of a state such as `failed`; `plain` if it is neither good nor bad. */
export function toneOf(state: string): Tone {
  return tones.find(([, states]) => states.includes(state))?.[0] ?? "plain";
}
