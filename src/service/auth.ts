// Credentials for the service: a bearer token, or an API key with a signature that is computed for every request.
// Source: service specification, "Authentication".
import type { Connection } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';
import { SECOND } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { Secret } from '../core/secret.ts';
import { API_KEY_PARAMETER, AUTHORIZATION_HEADER, BEARER_PREFIX, computeSignature, SIGNATURE_PARAMETER } from './wire.ts';

/** The credentials of one request; `secrets` must never be shown. */
export type Credentials = Readonly<{
  headers: Readonly<Record<string, string>>;
  /** The query string with its question mark, or an empty string. */
  query: string;
  secrets: readonly Secret[];
}>;

/** Creates the credentials of one request. Call it right before each request: a signature is valid for its second. */
export type Authorize = () => Credentials;

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/**
 * Every request also carries the connection's `headers`, which are as secret as its credential.
 * @throws ConfigurationError when a token cannot be sent in a header, for example because it contains a line break or a space.
 */
export function createAuthorize({ auth, headers }: Pick<Connection, 'auth' | 'headers'>, clock: Clock): Authorize {
  const own = Object.values(headers);
  const reveal = (): Record<string, string> => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()]));
  if (auth.kind === 'token') {
    const { token } = auth;
    if (!VISIBLE_ASCII.test(token.reveal())) {
      throw new ConfigurationError(
        'the API token is empty or has characters that no token has (blanks, line breaks, accents); copy it again',
      );
    }
    return () => ({
      headers: { ...reveal(), [AUTHORIZATION_HEADER]: `${BEARER_PREFIX}${token.reveal()}` },
      query: '',
      secrets: [token, ...own],
    });
  }
  const { apiKey, sharedSecret } = auth;
  return () => {
    const signature = computeSignature(apiKey.reveal(), sharedSecret.reveal(), Math.floor(clock.now().getTime() / SECOND));
    const query = `?${API_KEY_PARAMETER}=${encodeURIComponent(apiKey.reveal())}&${SIGNATURE_PARAMETER}=${signature}`;
    return { headers: reveal(), query, secrets: [apiKey, sharedSecret, new Secret(signature), ...own] };
  };
}
