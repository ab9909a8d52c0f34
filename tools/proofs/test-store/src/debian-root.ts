/**
 * Runs a command inside the Debian root as its root user. Mounts exist in a separate namespace, which ends with the
 * command, so `make clean` finds none. Every step replaces the previous process, so that the process id is the
 * command's.
 */
export function rootCommand(root: string, command: readonly string[]): [command: string, args: string[]] {
  const script = [
    'mount -t proc proc "$0/proc"',
    'mount -t devpts devpts "$0/dev/pts"',
    'mkdir -p "$0/dev/shm"',
    'mount -t tmpfs tmpfs "$0/dev/shm"',
    'exec chroot "$0" "$@"',
  ].join(" && ");
  return ["unshare", ["--mount", "--propagation", "private", "sh", "-c", script, root, ...command]];
}

/** Runs a command as the user `postgres`. The kernel ends it when this process ends. */
export function postgresCommand(root: string, command: readonly string[]): [command: string, args: string[]] {
  const setpriv = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--pdeathsig=KILL", "--"];
  return rootCommand(root, [...setpriv, ...command]);
}
