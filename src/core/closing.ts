/** What `await using` ends by `end` at the end of its block. */
export function closing<T extends object>(resource: T, end: (resource: T) => Promise<unknown>): T & AsyncDisposable {
  return Object.assign(resource, { [Symbol.asyncDispose]: async () => void (await end(resource)) });
}
