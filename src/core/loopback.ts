const LOOPBACK = /^(?:localhost\.?|127(?:\.\d{1,3}){3}|::1|\[::1\]|\[?::ffff:(?:127(?:\.\d{1,3}){3}|7f[0-9a-f]{2}:[0-9a-f]{1,4})\]?)$/i;
/** Names and addresses that lead to this machine when they are called, but are more when they are listened on. */
const LEADING_HERE = /^(?:(?:.+\.)?localhost\.?|0\.0\.0\.0|::|\[::\])$/i;

/** Whether a host's name or address, as in a URL or as listened on, refers to this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Whether a call to a host, as in a URL, stays on this machine. Not for what is listened on: 0.0.0.0 is all networks there. */
export function leadsToLoopback(host: string): boolean {
  return isLoopback(host) || LEADING_HERE.test(host);
}
