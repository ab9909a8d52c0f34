/** Ids of the benchmark's rows that have a target, in the order of the page. */
export const rowsWithTarget: readonly string[] = [
  ...["SPINE", "B1", "B3", "B7", "B8", "B8S3", "FLOOD", "B12", "STORE", "CLUSTER"],
  ...["PEERS", "GROWTH", "CONSOLE", "START"],
];

const ofGateway =
  "The gateway does more than the Fastify stack. The load generator uses much of the two cores; most of the remaining time goes to system calls, then to garbage collection of protobuf messages.";
const ofUploads =
  "An upload passes two hops, is hashed on a thread and flushed before the response; the report lists the CPU seconds of each process in a run.";

/** Why targets of a row are missed, in whole sentences. */
export type Reason = {
  readonly row: string;
  /** A part of the text of each target to which the reason applies. "" applies to all targets of the row. */
  readonly target: string;
  readonly reason: string;
};

/** The page shows the reasons of the targets that are missed. A missed target without a reason fails `make check`. */
export const reasons: readonly Reason[] = [
  { row: "SPINE", target: "", reason: ofGateway },
  { row: "B1", target: "Fastify", reason: ofGateway },
  {
    row: "B1",
    target: "/ before: platform",
    reason:
      "Since the earlier version, each request is also recorded in its project's request log and counted by its credential, and protobuf-es writes the frames of calls. The ranges of the two versions overlap.",
  },
  {
    row: "B7",
    target: "",
    reason:
      "A run is claimed, called and settled in the database, in turns between targets, after a check of the target's address. The bare loop only sends. A run uses 0.30 ms of the worker's processor time, and a call of the loop 0.07 ms; the database shares the two cores.",
  },
  { row: "B8", target: "PUT through the gateway /", reason: ofUploads },
  {
    row: "FLOOD",
    target: "p99",
    reason:
      "The p99 is the time to collect the garbage of 512 waiting requests in Node and Express. Beside a refused flood, single rounds of a POST took half a second to a second, two of six in this version and one of six in the earlier one; the others took 43 to 68 ms and 27 to 35 ms.",
  },
  { row: "B12", target: "memory", reason: "The embedded engine holds every document in memory." },
  {
    row: "STORE",
    target: "platform: impression",
    reason:
      "Each impression verifies the Ed25519 signature of its token, which takes 0.11 ms of the processor, a sixth of the time in which the driver inserts it. All of them belong to one campaign, whose appends follow one another.",
  },
  {
    row: "STORE",
    target: "platform: claim and deliver",
    reason:
      "The platform also accepts an intent over HTTP, reads its endpoint again before it is sent, and sends an email. The driver only inserts, claims and settles a document.",
  },
  {
    row: "CLUSTER",
    target: "cluster / one Redis",
    reason:
      "The requests of one event-loop tick share two commands on a single Redis, and two for each of three nodes of the cluster. A node also computes the slot of each key, and checks for each admission that it has all of the client's keys, so that a moving slot leaves nothing half done.",
  },
  {
    row: "GROWTH",
    target: "100,000 documents",
    reason:
      "On FerretDB, a request takes up to twice as long in one round as in another. In the same run, the same requests met their targets with a million documents.",
  },
  {
    row: "PEERS",
    target: "Fastify",
    reason:
      "In front of the same service, the two gateways are within the spread of the rounds. Ours also checks the scope, validates the body, spends a daily quota, and claims and settles the Idempotency-Key.",
  },
  {
    row: "PEERS",
    target: "BullMQ",
    reason:
      "A BullMQ worker records an outcome by one command to Redis. A run is claimed, called and settled in the database, in turns between targets, after a check of the target's address. On a machine with twice the speed, a run of these two alone gave 0.70 × (0.68–0.73): the event loop of the worker was busy for nine tenths of the time, half of it with sending, signing and garbage collection.",
  },
];
