// The addresses of clients, in the forms in which proxies write them and sockets give them.
import { isIP } from 'node:net';

/**
 * An entry of X-Forwarded-For as an IP address without a port, brackets, quotes and zone: Azure's gateways append the port of the client's
 * connection, and quotes are from Forwarded. An entry that is no address, such as `unknown`, is returned as it is.
 */
export function readForwardedAddress(entry: string): string {
  const bare = entry.trim().replace(/^"(.*)"$/, '$1');
  const [, bracketed, dotted] = /^\[([^\]]+)\](?::\d*)?$|^(\d+\.\d+\.\d+\.\d+):\d*$/.exec(bare) ?? [];
  const address = (bracketed ?? dotted ?? bare).replace(/%.*$/, '');
  return isIP(address) === 0 ? bare : address;
}

/**
 * What attempts of a client are counted by. An IPv6 client counts by its /64 network, all addresses of which it controls; an IPv4 address
 * that is written as an IPv6 address counts as itself.
 */
export function clientOf(address: string): string {
  const bare = readForwardedAddress(address);
  if (isIP(bare) !== 6) return bare;
  const groups = groupsOf(bare);
  const isMapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff';
  if (!isMapped) return `${groups.slice(0, 4).join(':')}::/64`;
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');
}

/** The eight groups of an IPv6 address, in hexadecimal without leading zeros. */
function groupsOf(address: string): readonly string[] {
  // URL writes the shortest form, with at most one `::`, and no dots.
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = '', after] = shortest.split('::');
  const split = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [head, tail] = [split(before), split(after ?? '')];
  return [...head, ...Array.from({ length: after === undefined ? 0 : 8 - head.length - tail.length }, () => '0'), ...tail];
}
