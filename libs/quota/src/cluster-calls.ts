import { createHash } from "node:crypto";
import calculateSlot from "cluster-key-slot";
import { type Cluster, type Redis, ReplyError } from "ioredis";
import {
  argumentsOfOneNode,
  argumentsOfOneSlot,
  type Batch,
  type BatchedScript,
  callsOf,
  emptyBatch,
  type Part,
  type ScriptCall,
  settleCall,
  settlePart,
} from "./script-call.ts";

/** Returns the slot of a key, which depends on the key's hash tag. */
function slotOf(key: string): number {
  const start = key.indexOf("{") + 1;
  return calculateSlot(key.slice(start, key.indexOf("}", start)));
}

/**
 * Creates the function that sends batches to the nodes of a Cluster: one command for each node and script, whose parts
 * may have keys in several slots of the node. A command for each slot would use 1.6 times the CPU. A part that the node
 * cannot run, because its slot has moved or is moving, is sent again on its own through the Cluster connection, which
 * follows redirections. So are all parts of a command that the node rejects, or whose connection has ended. A script
 * recognizes its own earlier work, so a part that ran twice counts once.
 * @param cluster a connection on which the scripts for keys of one slot are defined
 * @param texts the scripts for keys of one node
 */
export function clusterCalls(cluster: Cluster, texts: Readonly<Record<BatchedScript, string>>): (batch: Batch) => void {
  const digests = { quotaSettle: digestOf(texts.quotaSettle), quotaMeter: digestOf(texts.quotaMeter) };

  const sendToNode = async (node: Redis, calls: readonly ScriptCall[]): Promise<void> => {
    const results = await node
      .pipeline(calls.map(({ script, parts }) => ["evalsha", ...argumentsOfOneNode(digests[script], parts)]))
      .exec()
      .catch((error: Error) => calls.map((): [Error, unknown] => [error, null]));
    for (const [index, call] of calls.entries()) {
      const [error, replies] = results?.[index] ?? [null, null];
      if (error?.message.startsWith("NOSCRIPT ")) void sendText(node, call);
      else receive(call, error, replies);
    }
  };
  const sendText = async (node: Redis, call: ScriptCall): Promise<void> => {
    try {
      receive(call, null, await node.call("EVAL", argumentsOfOneNode(texts[call.script], call.parts)));
    } catch (error) {
      receive(call, error as Error, null);
    }
  };
  const receive = (call: ScriptCall, error: Error | null, replies: unknown): void => {
    if (error instanceof ReplyError || error?.message === "Connection is closed.") {
      for (const part of call.parts) void sendAlone(call.script, part);
    } else if (Array.isArray(replies)) {
      for (const [index, part] of call.parts.entries()) {
        const reply: unknown = replies[index];
        if (Array.isArray(reply) && reply[0] === "elsewhere") void sendAlone(call.script, part);
        else settlePart(part, reply, () => {});
      }
    } else settleCall(call, error, replies, () => {});
  };
  const sendAlone = async (script: BatchedScript, part: Part): Promise<void> => {
    const [result] = await cluster
      .pipeline([[script, ...argumentsOfOneSlot([part])]])
      .exec()
      .then((results) => results ?? [])
      .catch((error: Error): [Error, unknown][] => [[error, null]]);
    settleCall({ script, parts: [part] }, result?.[0] ?? null, result?.[1], () => {});
  };

  return (batch) => {
    const primaries = new Map(
      cluster.nodes("master").map((node) => [`${node.options.host}:${node.options.port}`, node]),
    );
    const byNode = new Map<Redis, Batch>();
    for (const script of ["quotaSettle", "quotaMeter"] as const) {
      for (const part of batch[script]) {
        const address = cluster.slots[slotOf(part.keys[0] ?? "")]?.[0];
        const node = address === undefined ? undefined : primaries.get(address);
        // The first command to a node opens its connection. If that connection is lost, commands through it would wait
        // longer than commands through the Cluster connection.
        if (node === undefined || (node.status !== "ready" && node.status !== "wait")) {
          void sendAlone(script, part);
          continue;
        }
        const ofNode = byNode.get(node) ?? emptyBatch();
        byNode.set(node, ofNode);
        ofNode[script].push(part);
      }
    }
    for (const [node, ofNode] of byNode) void sendToNode(node, callsOf(ofNode));
  };
}

function digestOf(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}
