const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;

/** Whether a host's name or address, as in a URL or as listened on, refers to this machine. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
