import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Logger } from "@platform/service-kit/process/logger";
import { Gauge } from "prom-client";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import { isLatestAnswer } from "../http/connections.ts";
import { isWatched } from "../http/early-refusals.ts";
import { type FromRelay, type RelaySettings, requestBytes, type ToRelay } from "./relay-messages.ts";

/** Processes of the gateway through which large bodies pass, so that the process that answers the API never touches their bytes. */
export type Relay = {
  /**
   * Hands the request over with its connection, when a relay process is there and nothing of the connection would be lost. Nothing must
   * have been written of its answer, and nothing read of its body.
   * @returns whether it is gone; when not, it is served here
   */
  take(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Lets what is running end, for at most `graceMs`. */
  close(graceMs?: number): Promise<void>;
};

type Member = {
  readonly process: ChildProcess;
  isReady: boolean;
  /** Connections it has. */
  connections: number;
  /** Handing over is one at a time: Node would keep a second connection half handed over, still attached to its parser. */
  turn: Promise<unknown>;
  took: () => void;
};

const restartMs = 1_000;
const connectionsMax = 10_000;
/** A relay process that does not take a connection for this long does nothing any more, and is replaced. */
const tookMsMax = 5_000;
const script = fileURLToPath(new URL("../start-relay.ts", import.meta.url));

/** Starts `count` relay processes; one that ends is replaced, and until then the gateway does their work itself. */
export function startRelay(options: {
  readonly count: number;
  readonly settings: RelaySettings;
  readonly env: Readonly<Record<string, string>>;
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
}): Relay {
  const { count, settings, env, logger, metrics } = options;
  const members = new Set<Member>();
  const restarts = new Set<NodeJS.Timeout>();
  let isClosing = false;
  new Gauge({
    name: "platform_relay_resident_memory_bytes",
    help: "Resident memory of the processes large bodies pass through, together; process_resident_memory_bytes is without them. Linux only.",
    registers: [metrics.registry],
    collect() {
      const bytes = [...members].map((member) => residentBytes(member.process.pid));
      this.set(bytes.reduce((sum, value) => sum + value, 0));
    },
  });

  const start = (): void => {
    const child = fork(script, {
      env,
      // Without the second, each 64 MB of bodies that pass have the whole heap marked (decision 0077).
      execArgv: ["--disable-warning=ExperimentalWarning", "--external-memory-accounted-in-global-limit"],
      serialization: "advanced",
    });
    const member: Member = { process: child, isReady: false, connections: 0, turn: Promise.resolve(), took: () => {} };
    members.add(member);
    child.on("message", (message: FromRelay) => hear(member, message));
    child.on("error", (error) => logger.error({ err: error, component: "relay" }, "relay process failed"));
    child.once("exit", (code, signal) => {
      members.delete(member);
      member.isReady = false;
      member.took();
      metrics.requestsInFlight.dec(member.connections);
      if (isClosing) return;
      logger.warn({ component: "relay", code: code ?? undefined, signal: signal ?? undefined }, "relay process ended");
      const restart = setTimeout(() => {
        restarts.delete(restart);
        start();
      }, restartMs);
      restarts.add(restart);
    });
    tell(child, { kind: "start", settings });
  };
  const hear = (member: Member, message: FromRelay): void => {
    switch (message.kind) {
      case "ready":
        member.isReady = true;
        return;
      case "took":
        member.took();
        return;
      case "ended":
        member.connections -= 1;
        metrics.requestsInFlight.dec();
        return;
      case "observed":
        Reflect.apply(metrics.requestDuration.observe, metrics.requestDuration, message.observation);
    }
  };
  const hand = async (member: Member, request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    if (!member.isReady || !member.process.connected || !isMovable(request, response)) return false;
    const { socket } = request;
    const received = requestBytes(request, takenOf(request));
    // Taking the bytes lets the connection flow again, in the next tick; only then can it be stopped for good. No byte comes before that.
    await new Promise((resolve) => process.nextTick(resolve));
    socket.pause();
    // Else Node would ask the relay process about this connection whenever the server closes, also when that process is gone: for ever.
    Reflect.set(socket, "server", null);
    member.connections += 1;
    metrics.requestsInFlight.inc();
    await new Promise<void>((resolve) => {
      const stuck = setTimeout(() => member.process.kill("SIGKILL"), tookMsMax);
      member.took = () => {
        clearTimeout(stuck);
        resolve();
      };
      // Kept open here until the other side has it: of a connection that is sent to a dying process, Node would keep the handle for ever.
      member.process.send({ kind: "serve", received } satisfies ToRelay, socket, { keepOpen: true }, (error) => {
        if (error !== null) member.took();
      });
    });
    // Closes this process's end only. Not before the caller knows that the connection is gone.
    setImmediate(() => socket.destroy());
    return true;
  };

  for (let started = 0; started < count; started += 1) start();
  return {
    take: async (request, response) => {
      if (members.size === 0) return false;
      // The parser is in the middle of what was read; when the turn is over it has gone through all of it.
      await nextTurn();
      const ready = [...members].filter((member) => member.isReady && member.connections < connectionsMax);
      const member = ready.sort((one, other) => one.connections - other.connections)[0];
      if (member === undefined) return false;
      const handed = member.turn
        .then(() => hand(member, request, response))
        .catch((error: unknown) => {
          // Half handed over it can be served nowhere.
          logger.error({ err: error, component: "relay" }, "a connection was not handed over");
          request.socket.destroy();
          return true;
        });
      member.turn = handed;
      return handed;
    },
    close: async (graceMs = 10_000) => {
      isClosing = true;
      for (const restart of restarts) clearTimeout(restart);
      await Promise.all(
        [...members].map(async ({ process: child }) => {
          const exited = new Promise((resolve) => child.once("exit", resolve));
          const force = setTimeout(() => child.kill("SIGKILL"), graceMs);
          tell(child, { kind: "drain" });
          await exited;
          clearTimeout(force);
        }),
      );
    },
  };
}

/** Resident memory of a process (proc_pid_status(5)); nothing of one that has just ended. */
function residentBytes(pid: number | undefined): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}

/** What has been read of the body. The stream gives it a chunk at a time. */
function takenOf(request: IncomingMessage): Buffer[] {
  const chunks: Buffer[] = [];
  for (let chunk = request.read(); chunk !== null; chunk = request.read()) chunks.push(chunk as Buffer);
  return chunks;
}

function tell(child: ChildProcess, message: ToRelay): void {
  // A process that has just ended cannot be told; its `exit` is what counts.
  if (child.connected) child.send(message, () => {});
}

/**
 * Can the connection go on elsewhere, from the first byte of this request? Only when all earlier answers have left, no later request has
 * been read, what is still to come is the rest of a body of declared length, or nothing, and only Node's parser reads it.
 */
function isMovable(request: IncomingMessage, response: ServerResponse): boolean {
  const { socket } = request;
  if (socket.destroyed || response.destroyed || response.headersSent || response.socket !== (socket as Socket))
    return false;
  if (socket.writableLength > 0 || !isLatestAnswer(response) || isWatched(socket)) return false;
  return request.method === "PUT" ? !request.complete : request.complete;
}
