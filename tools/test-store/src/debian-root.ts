/**
 * A command inside the root, as its root user. What it needs mounted is mounted in a namespace of its own, which ends with it: nothing is
 * left for `make clean` to trip over. Every step replaces the process of the one before, so that the process id is the command's.
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

/** The same as the user `postgres`, ended by the kernel when this process ends. */
export function postgresCommand(root: string, command: readonly string[]): [command: string, args: string[]] {
  const setpriv = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--pdeathsig=KILL", "--"];
  return rootCommand(root, [...setpriv, ...command]);
}
