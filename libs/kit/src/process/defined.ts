type Absent = null | undefined;

type DefinedFields<T> = {
  [K in keyof T as Extract<T[K], Absent> extends never ? K : never]: T[K];
} & {
  [K in keyof T as Extract<T[K], Absent> extends never ? never : K]?: NonNullable<T[K]>;
};

/**
 * Returns the fields that have a value, in their order, without those that are null or undefined. Use it for messages,
 * documents and options in which an absent field and null differ in meaning, or in which null is not allowed.
 */
export function defined<T extends object>(fields: T): DefinedFields<T> {
  const present: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value != null) present[name] = value;
  return present as DefinedFields<T>;
}
