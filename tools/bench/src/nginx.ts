import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { tied } from "@platform/stack/child";
import { pin, type Server } from "./processes.ts";

/** Starts Debian's nginx with one worker, in the foreground of a folder of its own. `location` is the body of `location / {}`. */
export async function startNginx(location: string): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), "bench-nginx-"));
  await mkdir(join(directory, "files"));
  const port = await freePort();
  const config = `
daemon off; master_process off; worker_processes 1; pid ${directory}/pid; error_log ${directory}/error.log;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000; client_max_body_size 4g; client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy; fastcgi_temp_path ${directory}/fastcgi; uwsgi_temp_path ${directory}/uwsgi; scgi_temp_path ${directory}/scgi;
  root ${directory}/files;
  server { listen 127.0.0.1:${port}; location / { ${location} } }
}`;
  await writeFile(join(directory, "nginx.conf"), config);
  const child = spawn(...tied("/usr/sbin/nginx", ["-c", join(directory, "nginx.conf"), "-p", directory]), {
    stdio: "inherit",
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  for (let attempt = 0; attempt < 100 && !(await answers(port)); attempt += 1) await delay(50);
  pin(child.pid, "measured");
  return {
    port,
    pid: child.pid ?? -1,
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}
