/** The parts of a response that a load needs. */
export type Answer = {
  readonly status: number;
  /** True if the response says how many seconds to wait (RFC 9110, 10.2.3). */
  readonly hasRetryAfter: boolean;
  /** True if the connection ends after the response. */
  readonly closes: boolean;
};

/**
 * Reads HTTP/1.1 responses with Content-Length or chunked encoding, one at a time, from text with one character per
 * byte. It does not store bodies.
 * @returns a function that takes the received text and returns the response once it is complete
 */
export function createAnswerReader(): (text: string) => Answer | null {
  let unread = "";
  let answer: (Answer & { readonly isChunked: boolean }) | null = null;
  /** Remaining bytes of the body, or of the current chunk. */
  let left = 0;

  const whole = (): Answer | null => {
    const ended = answer;
    answer = null;
    unread = "";
    return ended;
  };
  return (text) => {
    unread += text;
    if (answer === null) {
      const end = unread.indexOf("\r\n\r\n");
      if (end < 0) return null;
      const head = unread.slice(0, end + 2).toLowerCase();
      unread = unread.slice(end + 4);
      left = Number(field(head, "content-length") ?? 0);
      answer = {
        status: Number(head.slice(9, 12)),
        hasRetryAfter: /^\d+$/.test(field(head, "retry-after") ?? ""),
        closes: field(head, "connection") === "close",
        isChunked: field(head, "transfer-encoding") === "chunked",
      };
    }
    for (;;) {
      if (unread.length < left) {
        left -= unread.length;
        unread = "";
        return null;
      }
      unread = unread.slice(left);
      left = 0;
      if (!answer.isChunked) return whole();
      const end = unread.indexOf("\r\n");
      if (end < 0) return null;
      const bytes = Number.parseInt(unread, 16);
      // Trailers may follow the last chunk; an empty line ends them.
      if (bytes === 0) return unread.includes("\r\n\r\n") ? whole() : null;
      unread = unread.slice(end + 2);
      left = bytes + 2;
    }
  };
}

/** Returns the value of a header field. The head must be in lower case. */
function field(head: string, name: string): string | undefined {
  const at = head.indexOf(`\r\n${name}:`);
  if (at < 0) return undefined;
  return head.slice(at + name.length + 3, head.indexOf("\r\n", at + 2)).trim();
}
