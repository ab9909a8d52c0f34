import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { SinkMessage } from "../store/message.ts";

/** Writes a JSON array piece by piece: 200,000 messages with their sources do not fit into one text. */
export async function writeMessages(response: ServerResponse, messages: AsyncIterable<SinkMessage>): Promise<void> {
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.setHeader("cache-control", "no-store");
  let separator = "[";
  for await (const message of messages) {
    if (response.destroyed) return;
    const hasRoom = response.write(separator + JSON.stringify(message));
    separator = ",\n";
    if (!hasRoom && !response.destroyed) await Promise.race([once(response, "drain"), once(response, "close")]);
  }
  response.end(separator === "[" ? "[]" : "]");
}
