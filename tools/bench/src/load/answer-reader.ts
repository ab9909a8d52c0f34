/**
 * Reads HTTP/1.1 answers from a socket's bytes, with Content-Length or chunked. Only what a load generator needs: where an answer ends, its
 * status, and whether the connection ends with it. One answer is in flight at a time.
 */
export function createAnswerReader(onAnswer: (status: number, closes: boolean) => void): (chunk: Buffer) => void {
  let head = "";
  let isInBody = false;
  let left = 0;
  let isChunked = false;
  let tail = "";
  let status = 0;
  let closes = false;

  const done = (): void => {
    isInBody = false;
    head = "";
    tail = "";
    onAnswer(status, closes);
  };
  const body = (bytes: Buffer): void => {
    if (isChunked) {
      tail = (tail + bytes.toString("latin1")).slice(-7);
      if (tail.endsWith("\r\n0\r\n\r\n") || tail === "0\r\n\r\n") done();
      return;
    }
    left -= bytes.byteLength;
    if (left <= 0) done();
  };
  return (chunk) => {
    if (isInBody) return body(chunk);
    head += chunk.toString("latin1");
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const bodyBytes = head.length - end - 4;
    const fields = head.slice(0, end).toLowerCase();
    status = Number(fields.slice(9, 12));
    closes = fields.includes("\r\nconnection: close");
    isChunked = fields.includes("\r\ntransfer-encoding: chunked");
    const at = fields.indexOf("\r\ncontent-length:");
    left = at < 0 ? 0 : Number.parseInt(fields.slice(at + 17), 10);
    isInBody = true;
    body(chunk.subarray(chunk.byteLength - bodyBytes));
  };
}
