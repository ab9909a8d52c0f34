import { createHash } from "node:crypto";
import calculateSlot from "cluster-key-slot";
import type { Cluster, Redis } from "ioredis";
import { type BatchedScript, type ScriptCall, settleCall } from "./script-call.ts";

/**
 * Matches the server's errors, and ioredis's message for a lost connection, after which a call is repeated through the
 * Cluster connection. After NOSCRIPT, that connection sends the script's text.
 */
const repeatable = /^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN|NOSCRIPT) |^Connection is closed\.$/;

/** Returns the slot of a key, which depends on the key's hash tag. */
export function slotOf(key: string): number {
  const start = key.indexOf("{") + 1;
  return calculateSlot(key.slice(start, key.indexOf("}", start)));
}

/**
 * Creates the function that sends calls to the nodes of a Cluster, in one pipeline for each node. A pipeline for each
 * slot would need a write of its own, and would use more CPU than the scripts themselves. A call fails on a node if its
 * slot has moved or is moving, the node does not know the script, or the connection has ended. Such a call is sent
 * again on its own through the Cluster connection, which follows redirections. A script recognizes its own earlier
 * work, so a call that ran twice counts once.
 * @param texts the scripts by the names under which they are defined on the connection
 */
export function clusterCalls(
  cluster: Cluster,
  texts: Readonly<Record<BatchedScript, string>>,
): (calls: readonly ScriptCall[]) => void {
  const digests = {
    quotaSettle: digestOf(texts.quotaSettle),
    quotaMeter: digestOf(texts.quotaMeter),
  };

  const sendToNode = async (node: Redis, calls: readonly ScriptCall[]): Promise<void> => {
    const results = await node
      .pipeline(calls.map(({ script, args }) => ["evalsha", digests[script], ...args]))
      .exec()
      .catch((error: Error) => calls.map((): [Error, unknown] => [error, null]));
    for (const [index, call] of calls.entries()) {
      const [error, replies] = results?.[index] ?? [null, null];
      if (error !== null && repeatable.test(error.message)) void sendAlone(call);
      else settleCall(call, error, replies, () => {});
    }
  };
  const sendAlone = async (call: ScriptCall): Promise<void> => {
    const [result] = await cluster
      .pipeline([[call.script, ...call.args]])
      .exec()
      .then((results) => results ?? [])
      .catch((error: Error): [Error, unknown][] => [[error, null]]);
    settleCall(call, result?.[0] ?? null, result?.[1], () => {});
  };

  return (calls) => {
    const primaries = new Map(
      cluster.nodes("master").map((node) => [`${node.options.host}:${node.options.port}`, node]),
    );
    const byNode = new Map<Redis, ScriptCall[]>();
    for (const call of calls) {
      const address = cluster.slots[call.slot]?.[0];
      const node = address === undefined ? undefined : primaries.get(address);
      // The first call to a node opens its connection. If that connection is lost, calls through it would wait longer
      // than calls through the Cluster connection.
      if (node === undefined || (node.status !== "ready" && node.status !== "wait")) {
        void sendAlone(call);
        continue;
      }
      const ofNode = byNode.get(node);
      if (ofNode === undefined) byNode.set(node, [call]);
      else ofNode.push(call);
    }
    for (const [node, ofNode] of byNode) void sendToNode(node, ofNode);
  };
}

function digestOf(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}
