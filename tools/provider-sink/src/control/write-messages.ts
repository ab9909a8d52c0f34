import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { SinkMessage } from "../store/message.ts";

/** Writes a JSON array piece by piece: 200,000 messages with their sources do not fit into one text. */
export async function writeMessages(response: ServerResponse, messages: AsyncIterable<SinkMessage>): Promise<void> {
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.setHeader("cache-control", "no-store");
  try {
    await pipeline(Readable.from(jsonArray(messages)), response);
  } catch (error) {
    // A reader that disconnects in the middle is not an error of the sink.
    if (!response.destroyed) throw error;
  }
}

async function* jsonArray(messages: AsyncIterable<SinkMessage>): AsyncGenerator<string> {
  let separator = "[";
  for await (const message of messages) {
    yield separator + JSON.stringify(message);
    separator = ",\n";
  }
  yield separator === "[" ? "[]" : "]";
}
