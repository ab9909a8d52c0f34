import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect as connectSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@platform/test-kit/eventually";
import { freePort } from "@platform/test-kit/free-port";

/** A nats-server with JetStream of a test's own, on disk, so that it may be killed and started again. */
export async function startTestNats() {
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), "nats-"));
  let child: ChildProcess | null = null;

  const start = async (): Promise<void> => {
    const args = ["-a", "127.0.0.1", "-p", `${port}`, "-js", "-sd", directory];
    // Debian installs it where only root's PATH looks.
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
    child = spawn("nats-server", args, { stdio: "ignore", env });
    const failed = once(child, "error").then(([error]) => Promise.reject(error));
    await Promise.race([failed, eventually(() => accepts(port))]);
  };
  const kill = async (): Promise<void> => {
    if (child === null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    child = null;
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    start,
    kill,
    close: async () => {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectSocket(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
