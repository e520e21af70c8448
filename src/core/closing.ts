/** Makes `resource` usable with `await using`: `end` runs when the block ends. */
export function closing<T extends object>(resource: T, end: (resource: T) => Promise<unknown>): T & AsyncDisposable {
  return Object.assign(resource, { [Symbol.asyncDispose]: async () => void (await end(resource)) });
}
