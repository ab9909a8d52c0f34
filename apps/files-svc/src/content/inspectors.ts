import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createSemaphore, type Release, takeRoundRobin } from "@platform/kit/jobs/pacing";
import type { FileContentType } from "../domain/file-object.ts";
import type { ImageSettings } from "../domain/image-preset.ts";
import type { Inspection } from "./inspect-file.ts";
import type { InspectorReply, InspectorTask } from "./inspector-messages.ts";

/** Thrown if the child died or took too long. The cause may be the bytes or the machine. */
export class InspectorDied extends Error {
  override readonly name = "InspectorDied";
}

/**
 * Inspects hostile bytes in child processes. They contain no secret, have a memory limit and can be killed. Project
 * Clients are served round robin, and none may use all children, so slow inspections delay only their own client.
 */
export type Inspectors = {
  /** @throws InspectorDied */
  inspect(projectClientId: string, path: string, contentType: FileContentType, sizeBytes: number): Promise<Inspection>;
  /** @throws InspectorDied, or Error if the image cannot be rendered */
  render(projectClientId: string, source: string, target: string, settings: ImageSettings): Promise<void>;
  close(): void;
};

/**
 * Maximum duration of an inspection in milliseconds: ten seconds for an image, plus the time to read a large file at
 * 20 MB/s.
 */
const inspectMs = 10_000;
const bytesPerMs = 20_000;
const renderMs = 30_000;
const heapMib = 256;
/** Number of tasks after which a child is replaced, because decoders may leak memory. */
const tasksPerChild = 500;

type Child = { readonly process: ChildProcess; tasks: number };
type Acquired = { readonly child: Child; readonly release: Release };
type Waiting = { readonly client: string; take(acquired: Acquired): void; fail(error: Error): void };

/**
 * Creates a pool of at most `size` child processes. They are started when they are needed, and each has at most
 * `bytesMax` of memory.
 */
export function createInspectors(size: number, bytesMax: number): Inspectors {
  const idle: Child[] = [];
  const waiting: Waiting[] = [];
  const permits = createSemaphore({ total: size, by: { client: () => Math.max(1, size - 1) } });
  const all = new Set<Child>();
  let isClosed = false;

  const start = (): Child => {
    const child: Child = { process: spawnChild(bytesMax), tasks: 0 };
    all.add(child);
    child.process.once("exit", () => {
      all.delete(child);
      const at = idle.indexOf(child);
      if (at >= 0) idle.splice(at, 1);
      dispatch();
    });
    return child;
  };
  /** Assigns free children to waiting tasks. The clients that use the fewest children come first. */
  const dispatch = (): void => {
    const heldBy = ({ client }: Waiting): number => permits.heldBy("client", client);
    const taken = takeRoundRobin(
      waiting.toSorted((one, other) => heldBy(one) - heldBy(other)),
      {
        queueOf: ({ client }) => client,
        acquire: ({ client }) => permits.tryAcquire({ client }),
        most: idle.length + size - all.size,
      },
    );
    for (const { item, release } of taken) {
      waiting.splice(waiting.indexOf(item), 1);
      item.take({ child: idle.pop() ?? start(), release });
    }
  };
  const acquire = (client: string): Promise<Acquired> => {
    if (isClosed) return Promise.reject(new Error("the inspectors are closed"));
    return new Promise((take, fail) => {
      waiting.push({ client, take, fail });
      dispatch();
    });
  };
  const perform = async (client: string, task: InspectorTask, timeoutMs: number): Promise<InspectorReply> => {
    const { child, release } = await acquire(client);
    try {
      const reply = await ask(child.process, task, timeoutMs);
      child.tasks += 1;
      // A child that is replaced frees its slot when it has ended.
      if (child.tasks >= tasksPerChild) child.process.kill("SIGKILL");
      else idle.push(child);
      return reply;
    } finally {
      release();
      dispatch();
    }
  };

  return {
    inspect: async (client, path, contentType, sizeBytes) => {
      const timeoutMs = inspectMs + sizeBytes / bytesPerMs;
      const reply = await perform(client, { kind: "inspect", path, contentType }, timeoutMs);
      if (reply.kind !== "inspected") throw new Error(reply.kind === "failed" ? reply.message : "a wrong reply");
      return reply.inspection;
    },
    render: async (client, source, target, settings) => {
      const reply = await perform(client, { kind: "render", source, target, settings }, renderMs);
      if (reply.kind === "failed") throw new Error(reply.message);
    },
    close: () => {
      isClosed = true;
      for (const child of all) child.process.kill("SIGKILL");
      for (const { fail } of waiting.splice(0)) fail(new Error("the inspectors are closed"));
    },
  };
}

/**
 * Starts a child process. A shell sets the limit on private memory and then becomes the child. The environment is
 * empty, so that no secret can be read from it.
 */
function spawnChild(bytesMax: number): ChildProcess {
  const script = fileURLToPath(new URL("./inspector-child.ts", import.meta.url));
  const command = [process.execPath, `--max-old-space-size=${heapMib}`, script];
  return spawn("/bin/sh", ["-c", 'ulimit -d "$0" && exec "$@"', String(bytesMax / 1024), ...command], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: {},
  });
}

function ask(child: ChildProcess, task: InspectorTask, timeoutMs: number): Promise<InspectorReply> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void): void => {
      clearTimeout(timer);
      child.off("message", answered).off("exit", died).off("error", died);
      outcome();
    };
    const answered = (reply: unknown): void => settle(() => resolve(reply as InspectorReply));
    const died = (): void => settle(() => reject(new InspectorDied("the inspecting process ended")));
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      settle(() => reject(new InspectorDied("the inspecting process took too long")));
    }, timeoutMs);
    child.on("message", answered).on("exit", died).on("error", died);
    child.send(task);
  });
}
