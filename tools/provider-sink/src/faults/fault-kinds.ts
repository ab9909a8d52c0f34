import type { Channel } from "../store/message.ts";
import { apnsAnswerForStatus, apnsFaultKinds } from "./apns-errors.ts";
import { fcmAnswerForStatus, fcmFaultKinds } from "./fcm-errors.ts";
import { lineAnswerForStatus, lineFaultKinds } from "./line-errors.ts";
import type { FaultKind, ProviderAnswer } from "./provider-answer.ts";
import { smtpAnswerForStatus, smtpFaultKinds } from "./smtp-replies.ts";
import { webPushAnswerForStatus, webPushFaultKinds } from "./web-push-errors.ts";

type ChannelFaults = {
  kinds: Record<string, FaultKind>;
  answerForStatus: (status: number) => ProviderAnswer;
  /** The points of the protocol at which a fault can occur; the first is the default. */
  stages: readonly [string, ...string[]];
};

/** Every named fault of the sink, and the points of each protocol at which one can occur. */
export const faultsByChannel: Record<Channel, ChannelFaults> = {
  email: {
    kinds: smtpFaultKinds,
    answerForStatus: smtpAnswerForStatus,
    stages: ["rcpt", "greeting", "mail", "data", "tls", "auth"],
  },
  fcm: { kinds: fcmFaultKinds, answerForStatus: fcmAnswerForStatus, stages: ["send", "token"] },
  apns: { kinds: apnsFaultKinds, answerForStatus: apnsAnswerForStatus, stages: ["send"] },
  line: { kinds: lineFaultKinds, answerForStatus: lineAnswerForStatus, stages: ["send"] },
  web_push: { kinds: webPushFaultKinds, answerForStatus: webPushAnswerForStatus, stages: ["send"] },
};

/** Returns the provider's response for a status without a kind: that of the first kind with this status, otherwise a plain response. */
export function answerForStatus(channel: Channel, stage: string, status: number): ProviderAnswer {
  const { kinds, answerForStatus: plainAnswer, stages } = faultsByChannel[channel];
  for (const kind of Object.values(kinds)) {
    if ((kind.stage ?? stages[0]) !== stage) continue;
    const answer = kind.answer();
    if (answer.status === status) return answer;
  }
  return plainAnswer(status);
}
