type Protocol = "GRPC" | "HTTP";
type VariableOf<Name extends string, P extends Protocol> = `${Uppercase<Name>}_${P}`;

/** Returns the variable that contains the address of a service for one protocol, such as `IDENTITY_GRPC`. */
export function addressVariable<Name extends string, P extends Protocol>(name: Name, protocol: P): VariableOf<Name, P> {
  return `${name.toUpperCase()}_${protocol}` as VariableOf<Name, P>;
}

/**
 * Returns an object with the variable of each named service. `ofName` returns its value: a field of a schema, or an
 * address.
 */
export function addressVariables<Name extends string, P extends Protocol, Value>(
  protocol: P,
  names: readonly Name[],
  ofName: (name: Name) => Value,
): Record<VariableOf<Name, P>, Value> {
  const entries = names.map((name) => [addressVariable(name, protocol), ofName(name)]);
  return Object.fromEntries(entries) as Record<VariableOf<Name, P>, Value>;
}

/**
 * Reads the addresses from an environment with a variable for each named service. Returns them by the names of the
 * services.
 */
export function addressesOf<Name extends string, P extends Protocol>(
  protocol: P,
  names: readonly Name[],
  env: Readonly<Record<VariableOf<Name, P>, string>>,
): Readonly<Record<Name, string>> {
  return Object.fromEntries(names.map((name) => [name, env[addressVariable(name, protocol)]])) as Record<Name, string>;
}
