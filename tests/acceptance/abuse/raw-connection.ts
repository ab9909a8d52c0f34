import { connect, type Socket } from "node:net";

/** Output of a server on one connection until it was closed. */
export type RawOutcome = {
  readonly text: string;
  /** The final responses in it, in order, without interim 1xx responses. */
  readonly answers: readonly { readonly status: number; readonly head: string; readonly body: string }[];
};

/** A connection that nothing between the test and the server interprets. */
export function openConnection(baseUrl: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => resolve(socket));
    socket.once("error", reject);
  });
}

/**
 * Sends raw bytes and collects the response. After a whole answer the sending side is closed, so that the server waits for no more; resolves when the
 * server has closed too.
 */
export async function exchangeRaw(baseUrl: string, bytes: string | Uint8Array): Promise<RawOutcome> {
  const socket = await openConnection(baseUrl);
  let text = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    text += chunk;
    if (parseAnswers(text).length > 0) socket.end();
  });
  // A reset is one way of closing.
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  await closed;
  return { text, answers: parseAnswers(text) };
}

/** The whole responses at the beginning of `text`. All of ours carry Content-Length. */
function parseAnswers(text: string): RawOutcome["answers"] {
  const answers: { status: number; head: string; body: string }[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return answers;
    const head = rest.slice(0, end);
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    if (body.length < length) return answers;
    if (status >= 200) answers.push({ status, head, body });
    rest = rest.slice(end + 4 + length);
  }
}

/** The JSON of a response's body, or null when it is none. */
export function jsonOf(body: string): any {
  try {
    return JSON.parse(Buffer.from(body, "latin1").toString("utf8"));
  } catch {
    return null;
  }
}
