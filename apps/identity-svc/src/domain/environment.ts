/** The deployment environments of Project Clients. */
export const environments = ["development", "sandbox", "staging", "production"] as const;

export type Environment = (typeof environments)[number];

/** Returns whether `value` is an environment. */
export function isEnvironment(value: string): value is Environment {
  return (environments as readonly string[]).includes(value);
}

/**
 * Returns whether a Project Client of this environment may use plain http on loopback. Only environments for
 * development may.
 */
export function allowsLoopback(environment: Environment): boolean {
  return environment === "development" || environment === "sandbox";
}
