// Settings are read by every part of a process for its whole life, so they must not be changed by accident.

function refuse(): never {
  throw new TypeError('settings cannot be changed');
}

/** Freezes a value with everything in it, including maps, and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (value instanceof Map) {
    // Object.freeze does not stop a map's own methods.
    for (const method of ['set', 'delete', 'clear']) Object.defineProperty(value, method, { value: refuse });
    for (const entry of value.values()) deepFreeze(entry);
  }
  Object.freeze(value);
  for (const property of Object.values(value)) deepFreeze(property);
  return value;
}
