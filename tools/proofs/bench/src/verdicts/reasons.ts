/** Ids of the benchmark's rows that have a target, in the order of the page. */
export const rowsWithTarget: readonly string[] = [
  ...["SPINE", "B1", "B3", "B7", "B8", "B8S3", "FLOOD", "B12", "STORE", "CLUSTER"],
  ...["PEERS", "GROWTH", "CONSOLE", "START"],
];

const ofGateway =
  "The gateway does more than the Fastify stack. The load generator uses much of the two cores; most of the remaining time goes to system calls, then to garbage collection of protobuf messages.";
const ofUploads =
  "An upload passes two hops, is hashed on a thread and flushed before the response; the report lists the CPU seconds of each process in a run.";

/**
 * Reasons why a target of a row is missed, in whole sentences. The page shows the reason of a row while one of its targets is missed. A missed target without
 * a reason fails `make check`.
 */
export const reasons: Readonly<Record<string, string>> = {
  SPINE: ofGateway,
  B1: ofGateway,
  B7: "A run is claimed, called and settled in the database, in turns between targets, after a check of the target's address. The bare loop only sends.",
  B8: ofUploads,
  B8S3: ofUploads,
  FLOOD:
    "The p99 is the time to collect the garbage of 512 waiting requests in Node and Express. The previous version held them back before the parser, at 1,900 requests/s; without that limit, its p99 was 1.5 s.",
  B12: "The embedded engine holds every document in memory.",
  STORE: "One request can be several writes, and only a group commit is faster than the driver.",
  CLUSTER:
    "The requests of one event-loop tick belong to many clients, whose keys are on different nodes. A cluster therefore receives a pipeline for each node where one Redis receives one.",
  PEERS:
    "A BullMQ worker records an outcome by one command to Redis. A run is claimed, called and settled in the database, in turns between targets, after a check of the target's address.",
};
