import { mkdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

/** Name and rules of the console's Redis user (docs/operations.md). */
const consoleUser =
  "console on nopass ~console:* resetchannels -@all +get +set +getdel +del +pexpire +exists +ping +info";

/** Returns the command that starts the stack's own Redis: append-only, flushed each second, and without eviction. */
export function redisSpec(options: { directory: string; port: number }) {
  const data = join(options.directory, "redis");
  mkdirSync(data, { recursive: true });
  const settings = [
    "--save",
    "",
    "--appendonly",
    "yes",
    "--appendfsync",
    "everysec",
    "--maxmemory-policy",
    "noeviction",
    // The console's user may access only its own keys, as in production. Anyone on this machine can act as any user.
    "--user",
    ...consoleUser.split(" "),
  ];
  return {
    name: "redis",
    command: "redis-server",
    args: ["--port", `${options.port}`, "--bind", "127.0.0.1", "--dir", data, ...settings],
    cwd: data,
  };
}

/** Returns whether a Redis at the URL responds to PING. */
export function isRedisReady(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port === "" ? 6379 : port) });
    const end = (isReady: boolean): void => {
      socket.destroy();
      resolve(isReady);
    };
    socket.setTimeout(500, () => end(false));
    socket.once("error", () => end(false));
    socket.once("connect", () => socket.write("PING\r\n"));
    socket.once("data", (data) => end(data.toString().startsWith("+PONG")));
  });
}
