import { join, relative, resolve } from "node:path";
import { consoleLine } from "./console-lines.ts";
import { readStackProcesses } from "./one-process.ts";
import { type LocalPerson, operatorsFile, peopleIn, readDemoHistory, readStackMonitoring } from "./settings.ts";
import { monitoring, repositoryRoot, type Stack, startStack } from "./stack.ts";

const startedAtMs = performance.now();
const directory = resolve(process.env.STACK_DIR ?? join(repositoryRoot, ".local"));
const portBase = Number(process.env.STACK_PORT_BASE ?? 8080);
const hasHistory = readDemoHistory(process.env);
const showAll = process.env.STACK_LOGS === "all";

const say = (text: string): void =>
  console.log(`[${((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(5)} s] ${text}`);

let stack: Stack | null = null;
let isStopping = false;
async function stop(exitCode: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  say("stopping");
  await stack?.stop();
  say("stopped");
  process.exit(exitCode);
}
// If this process is stopped during the start, the kernel also ends every process that was started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void stop(0));

// These modules are loaded while the stack starts, because most of that time is spent waiting for processes.
const demo = import("./show-demo.ts");
demo.catch(() => undefined);

try {
  stack = await startStack({
    directory,
    portBase,
    hasConsole: true,
    hasMonitoring: readStackMonitoring(process.env),
    processes: readStackProcesses(process.env),
    onStep: say,
    onLine: (name, line) => {
      const text = consoleLine(name, line, showAll);
      if (text !== null && !isStopping) console.log(text);
    },
    onUnexpectedExit: (name, how) => {
      say(`${name} ${how}; its log is ${relative(process.cwd(), join(directory, "logs", `${name}.log`))}`);
      // The platform works without its monitoring, and the console reports that the monitoring does not respond.
      if (!monitoring.includes(name)) void stop(1);
    },
  });
  const { showDemo } = await demo;
  await showDemo(stack, { hasHistory, say, show: console.log });
  console.log(`console: http://127.0.0.1:${stack.ports.console}, status for everybody at /status`);
  if (readStackMonitoring(process.env)) {
    const { prometheus, alertmanager } = stack.ports;
    console.log(`prometheus: http://127.0.0.1:${prometheus}, alertmanager: http://127.0.0.1:${alertmanager}`);
  }
  const people = peopleIn(operatorsFile(directory));
  const line = ({ name, password, email }: LocalPerson): string =>
    `  ${name.padEnd(10)}${password}${email === null ? "" : `  ${email}`}`;
  console.log("operators sign in there, or by platformctl login (--as <role>), with one of these names and passwords");
  for (const person of people.filter(({ email }) => email === null)) console.log(line(person));
  console.log("people of the demo project sign in the same way (--as owner, --as developer)");
  for (const person of people.filter(({ email }) => email !== null)) console.log(line(person));
  console.log(`READY base_url=${stack.baseUrl} env=${relative(repositoryRoot, join(directory, "demo.env"))}`);
} catch (error) {
  if (!isStopping) {
    say(`cannot start: ${(error as Error).message}`);
    await stop(1);
  }
}
