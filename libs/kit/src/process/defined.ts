type Absent = null | undefined;

type DefinedFields<T> = {
  [K in keyof T as Extract<T[K], Absent> extends never ? K : never]: T[K];
} & {
  [K in keyof T as Extract<T[K], Absent> extends never ? never : K]?: NonNullable<T[K]>;
};

/**
 * Returns the fields that have a value, in their order; null and undefined are left out. For messages, documents and
 * options in which an absent field means something else than null, or must not be present at all.
 */
export function defined<T extends object>(fields: T): DefinedFields<T> {
  const present: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value != null) present[name] = value;
  return present as DefinedFields<T>;
}
