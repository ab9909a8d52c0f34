/** The deployment environments a Project Client can be of. */
export const environments = ["development", "sandbox", "staging", "production"] as const;

export type Environment = (typeof environments)[number];

/** Is `value` an environment? */
export function isEnvironment(value: string): value is Environment {
  return (environments as readonly string[]).includes(value);
}

/** May a Project Client of this environment name plain http on loopback? Only where people develop. */
export function allowsLoopback(environment: Environment): boolean {
  return environment === "development" || environment === "sandbox";
}
