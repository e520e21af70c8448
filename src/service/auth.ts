// What proves to the service who is calling: a bearer token, or an API key with a signature that is made anew for every
// request. Source: service specification, "Authentication".
import type { Auth } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';
import { SECOND } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { Secret } from '../core/secret.ts';
import { API_KEY_PARAMETER, AUTHORIZATION_HEADER, BEARER_PREFIX, computeSignature, SIGNATURE_PARAMETER } from './wire.ts';

/** What one request carries, and what must therefore never be shown. */
export type Credentials = Readonly<{
  headers: Readonly<Record<string, string>>;
  /** The query string with its question mark, or nothing. */
  query: string;
  secrets: readonly Secret[];
}>;

/** Makes the credentials of one request. Call it at the moment of each request: a signature is of its second. */
export type Authorize = () => Credentials;

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** @throws ConfigurationError when a token cannot be sent in a header (a line break or a blank in it, for instance). */
export function createAuthorize(auth: Auth, clock: Clock): Authorize {
  if (auth.kind === 'token') {
    const { token } = auth;
    if (!VISIBLE_ASCII.test(token.reveal())) {
      throw new ConfigurationError(
        'the API token is empty or has characters that no token has (blanks, line breaks, accents); copy it again',
      );
    }
    return () => ({ headers: { [AUTHORIZATION_HEADER]: `${BEARER_PREFIX}${token.reveal()}` }, query: '', secrets: [token] });
  }
  const { apiKey, sharedSecret } = auth;
  return () => {
    const signature = computeSignature(apiKey.reveal(), sharedSecret.reveal(), Math.floor(clock.now().getTime() / SECOND));
    const query = `?${API_KEY_PARAMETER}=${encodeURIComponent(apiKey.reveal())}&${SIGNATURE_PARAMETER}=${signature}`;
    return { headers: {}, query, secrets: [apiKey, sharedSecret, new Secret(signature)] };
  };
}
