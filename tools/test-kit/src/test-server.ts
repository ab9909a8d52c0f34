import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProcess } from "./test-process.ts";

/** A server for one test with a folder of its own, which may be killed and restarted. */
export type TestServer = {
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Stops the process (SIGSTOP). Until `resume`, it does not respond, but its connections stay open. */
  pause(): void;
  resume(): void;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
};

/**
 * Starts a server in a temporary folder. If it cannot be started, the folder is removed.
 * @param name name of the folder
 * @param launch starts the program in the folder
 * @param untilReady resolves once the started program serves
 */
export async function startTestServer(
  name: string,
  launch: (directory: string) => TestProcess,
  untilReady: (started: TestProcess, directory: string) => Promise<void>,
): Promise<TestServer & { readonly directory: string }> {
  const directory = await mkdtemp(join(tmpdir(), `${name}-`));
  let server: TestProcess | null = null;
  const start = async (): Promise<void> => {
    server = launch(directory);
    await untilReady(server, directory);
  };
  const kill = async (): Promise<void> => {
    await server?.end();
    server = null;
  };
  const close = async (): Promise<void> => {
    await kill();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    directory,
    start,
    kill,
    pause: () => server?.signal("SIGSTOP"),
    resume: () => server?.signal("SIGCONT"),
    close,
  };
}
