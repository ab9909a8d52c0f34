import { connect, type Socket } from "node:net";

/** Everything that a server sent over one connection until it was closed. */
export type RawOutcome = {
  readonly text: string;
  /** The final responses in it, in order, without interim 1xx responses. */
  readonly answers: readonly { readonly status: number; readonly head: string; readonly body: string }[];
};

/** Opens a raw connection, without an HTTP client, which would change the bytes. */
export function openConnection(baseUrl: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => resolve(socket));
    socket.once("error", reject);
  });
}

/**
 * Sends raw bytes and collects the response. After a complete response the sending side is closed, so that the server
 * expects no further request. Resolves when the server has closed its side.
 */
export async function exchangeRaw(baseUrl: string, bytes: string | Uint8Array): Promise<RawOutcome> {
  const socket = await openConnection(baseUrl);
  let text = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    text += chunk;
    if (parseAnswers(text).length > 0) socket.end();
  });
  // The server may also close the connection with a reset.
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  await closed;
  return { text, answers: parseAnswers(text) };
}

/** Parses the complete responses at the beginning of `text`. All responses of the platform have Content-Length. */
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

/** Parses the JSON body of a response. Returns null if the body is not JSON. */
export function jsonOf(body: string): any {
  try {
    return JSON.parse(Buffer.from(body, "latin1").toString("utf8"));
  } catch {
    return null;
  }
}
