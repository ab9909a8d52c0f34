/**
 * Returns an object that has only these of its type's fields, for the part of a dependency that the tested code uses. Reading another field throws an
 * error with its name, so that a test never passes because of a value that it did not choose.
 */
export function onlyWith<T extends object>(fields: Partial<T>): T {
  const partial = new Proxy(fields, {
    get: (target, name, receiver) => {
      if (name in target) return Reflect.get(target, name, receiver);
      // The runtime reads these fields of any object: `await` reads `then`, and messages of failed assertions read symbols and `toJSON`.
      if (typeof name === "symbol" || name === "then" || name === "toJSON") return undefined;
      throw new Error(`the test gives no ${name}; add it to the fields of onlyWith`);
    },
  });
  return partial as T;
}
