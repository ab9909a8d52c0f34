/** A response over HTTP, or over SMTP, for which `status` is the reply code and `body` its text. */
export type ProviderAnswer = { status: number; headers: Record<string, string>; body: string };

/** Creates a response with a JSON body, as FCM, APNs and LINE send it. */
export function jsonAnswer(status: number, body: unknown, headers: Record<string, string> = {}): ProviderAnswer {
  return {
    status,
    headers: { "content-type": "application/json; charset=UTF-8", ...headers },
    body: JSON.stringify(body),
  };
}

/** A named fault: creates the response of the real server. `stage` is the point in the protocol at which it occurs. */
export type FaultKind = { answer: () => ProviderAnswer; stage?: string };
