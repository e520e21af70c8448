// Identifies the caller. Source: service specification, "Authentication". The accepted clock difference is the sandbox's own choice.
import { ConfigurationError } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import { API_KEY_PARAMETER, BEARER_PREFIX, computeSignature, SIGNATURE_PARAMETER } from '../../src/service/wire.ts';

/** `name` identifies the credential in reports and logs; the default is `token 1`, `key 1` and so on. */
export type CredentialOptions = Readonly<{ name?: string; token: string } | { name?: string; apiKey: string; sharedSecret: string }>;

/** A header that a gateway requires in addition to the credential. */
export type GatewayHeader = Readonly<{ name: string; value: string }>;

/** An accepted credential. */
export type Credential = Readonly<{ name: string }>;

export type Verdict =
  | Readonly<{ credential: Credential; clockDifferenceSeconds?: number }>
  | Readonly<{ refusal: 'missing' | 'wrong' | 'stale'; message: string }>;

/** Maximum difference between the client's clock and ours, in seconds, in either direction. */
const CLOCK_DIFFERENCE_SECONDS = 300;
/** A refused signature is searched up to this difference, only to report and count it as an old one. */
const STALE_SECONDS = 3600;

type Key = Readonly<{ credential: Credential; apiKey: string; sharedSecret: Secret }>;

export class Credentials {
  /** All names, for reports. */
  readonly names: readonly string[];
  readonly #tokens = new Map<string, Credential>();
  readonly #keys = new Map<string, Key>();

  /** Throws ConfigurationError for a duplicate token, key or name. */
  constructor(options: readonly CredentialOptions[]) {
    for (const option of options) {
      if ('token' in option) {
        addOnce(this.#tokens, option.token, { name: option.name ?? `token ${this.#tokens.size + 1}` });
      } else {
        const credential = { name: option.name ?? `key ${this.#keys.size + 1}` };
        addOnce(this.#keys, option.apiKey, { credential, apiKey: option.apiKey, sharedSecret: new Secret(option.sharedSecret) });
      }
    }
    this.names = [...this.#tokens.values(), ...[...this.#keys.values()].map(({ credential }) => credential)].map(({ name }) => name);
    if (new Set(this.names).size < this.names.length) throw new ConfigurationError('two credentials of the sandbox have the same name');
  }

  /** If there is an Authorization header, it alone decides; else both key and signature are required. */
  check(authorization: string | undefined, parameters: URLSearchParams, now: Date): Verdict {
    if (authorization !== undefined) {
      const token = authorization.startsWith(BEARER_PREFIX) ? authorization.slice(BEARER_PREFIX.length) : undefined;
      const credential = token === undefined ? undefined : this.#tokens.get(token);
      return credential ? { credential } : { refusal: 'wrong', message: 'the Authorization header has no token that is known here' };
    }
    const apiKey = parameters.get(API_KEY_PARAMETER);
    const signature = parameters.get(SIGNATURE_PARAMETER);
    if (apiKey === null && signature === null) {
      return {
        refusal: 'missing',
        message: `send "Authorization: Bearer <token>", or both ${API_KEY_PARAMETER} and ${SIGNATURE_PARAMETER} in the query`,
      };
    }
    if (apiKey === null || signature === null) {
      return { refusal: 'missing', message: `${API_KEY_PARAMETER} and ${SIGNATURE_PARAMETER} are required together` };
    }
    const key = this.#keys.get(apiKey);
    if (!key) return { refusal: 'wrong', message: `the ${API_KEY_PARAMETER} is not known here` };
    return checkSignature(key, signature, Math.floor(now.getTime() / 1000));
  }
}

/** The signed time is not sent, so every acceptable second is tried, the nearest first. */
function checkSignature({ credential, apiKey, sharedSecret }: Key, signature: string, nowSeconds: number): Verdict {
  for (let difference = 0; difference <= STALE_SECONDS; difference++) {
    for (const seconds of difference === 0 ? [nowSeconds] : [nowSeconds - difference, nowSeconds + difference]) {
      if (computeSignature(apiKey, sharedSecret.reveal(), seconds) !== signature) continue;
      if (difference <= CLOCK_DIFFERENCE_SECONDS) return { credential, clockDifferenceSeconds: difference };
      const message = `the ${SIGNATURE_PARAMETER} is ${difference} seconds away from the time here; at most ${CLOCK_DIFFERENCE_SECONDS} are accepted`;
      return { refusal: 'stale', message };
    }
  }
  return {
    refusal: 'wrong',
    message: `the ${SIGNATURE_PARAMETER} does not belong to the ${API_KEY_PARAMETER}, its secret and the current time`,
  };
}

/** Throws ConfigurationError when a header's name is invalid in HTTP, or its value is empty. */
export function checkGatewayHeader({ name, value }: GatewayHeader): void {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw new ConfigurationError('gatewayHeader of the sandbox has no header name');
  if (value === '') throw new ConfigurationError(`the value of gatewayHeader ${name} of the sandbox is empty`);
}

function addOnce<T>(map: Map<string, T>, key: string, value: T): void {
  if (key === '') throw new ConfigurationError('a credential of the sandbox is empty');
  if (map.has(key)) throw new ConfigurationError('a credential of the sandbox is there twice');
  map.set(key, value);
}
