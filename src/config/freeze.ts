// Settings are read by every part of a process for its whole life, so they must not be changed by accident.

function refuse(): never {
  throw new TypeError('settings cannot be changed');
}

/** Freezes a value with everything in it, including maps, and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  freezeAlone(value);
  if (value instanceof Map) for (const entry of value.values()) deepFreeze(entry);
  for (const property of Object.values(value)) deepFreeze(property);
  return value;
}

/** Freezes a value, but not what it holds, and returns it. */
export function freezeAlone<T>(value: T): T {
  // Object.freeze does not stop a map's own methods.
  if (value instanceof Map && !Object.isFrozen(value))
    for (const method of ['set', 'delete', 'clear']) Object.defineProperty(value, method, { value: refuse });
  return Object.freeze(value);
}
