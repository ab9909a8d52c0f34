import { expect, test } from "vitest";
import { createAnswerReader } from "./answer-reader.ts";

const withLength = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 2\r\n\r\n{}";
const chunked = "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\na\r\n0\r\r\n0\r\nX-Trailer: 1\r\n\r\n";
const closing = "HTTP/1.1 429 Too Many Requests\r\nconnection: close\r\nretry-after: soon\r\n\r\n";

test.each([
  ["with Content-Length", withLength, { status: 503, hasRetryAfter: true, closes: false }],
  ["in chunks, with a trailer", chunked, { status: 201, hasRetryAfter: false, closes: false }],
  ["without a body, the last of its connection", closing, { status: 429, hasRetryAfter: false, closes: true }],
])("reads a response %s wherever it is split, and the next one after it", (_, answer, expected) => {
  for (let at = 1; at < answer.length; at += 1) {
    const read = createAnswerReader();
    for (let round = 0; round < 2; round += 1) {
      expect(read(answer.slice(0, at))).toBeNull();
      expect(read(answer.slice(at))).toMatchObject(expected);
    }
  }
});
