// The one spelling of a domain, by which own domains, competitors and sites are compared. The SQL function search_reports.bare_domain has the same rule,
// and a test compares the two.

const MAX_DOMAIN = 253;
const MAX_LABEL = 63;
/** Letters with a lower case, of the scripts that domains are written in: ASCII, Latin, Greek, Cyrillic, Armenian. */
const LETTERS = /[A-Z\u00c0-\u0556\u1e00-\u1eff]/g;
/** Full stops of other scripts, which browsers take for dots (UTS 46). */
const DOTS = /[\u3002\uff0e\uff61]/g;
const DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/**
 * A domain as figures know it: in lower case, without `www.` (which `www.com` keeps) and without a dot at the end; other letters than ASCII by punycode, so that
 * `münchen.example` equals `xn--mnchen-3ya.example`.
 */
export function bareDomain(domain: string): string {
  const labels = domain.normalize('NFC').replaceAll(LETTERS, lowerCase).replaceAll(DOTS, '.').split('.').map(asciiLabel);
  const bare = labels
    .join('.')
    .replace(/\.+$/, '')
    .replace(/^www\.(?=.+\.)/s, '');
  return [...bare].slice(0, MAX_DOMAIN).join('');
}

/** Letter by letter: what follows a letter changes nothing, unlike at the end of a Greek word. */
const lowerCase = (letter: string): string => letter.toLowerCase();

/** A label as DNS writes it: punycode (RFC 3492, section 6.3) after `xn--` if it has other characters than ASCII. */
function asciiLabel(label: string): string {
  const points = [...label].map((character) => character.codePointAt(0) ?? 0);
  const basic = points.filter((point) => point < 128);
  if (basic.length === points.length || points.length > MAX_LABEL) return label;
  let answer = basic.length === 0 ? '' : `${String.fromCodePoint(...basic)}-`;
  let [next, delta, bias, coded] = [128, 0, 72, basic.length];
  while (coded < points.length) {
    const least = Math.min(...points.filter((point) => point >= next));
    delta += (least - next) * (coded + 1);
    next = least;
    for (const point of points) {
      if (point < next) delta += 1;
      if (point !== next) continue;
      answer += writeNumber(delta, bias);
      bias = nextBias(delta, coded + 1, coded === basic.length);
      delta = 0;
      coded += 1;
    }
    delta += 1;
    next += 1;
  }
  return `xn--${answer}`;
}

function writeNumber(value: number, bias: number): string {
  let [answer, rest] = ['', value];
  for (let k = 36; ; k += 36) {
    const t = Math.min(26, Math.max(1, k - bias));
    if (rest < t) return answer + DIGITS.charAt(rest);
    answer += DIGITS.charAt(t + ((rest - t) % (36 - t)));
    rest = Math.floor((rest - t) / (36 - t));
  }
}

function nextBias(delta: number, points: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2));
  rest += Math.floor(rest / points);
  let k = 0;
  for (; rest > 455; k += 36) rest = Math.floor(rest / 35);
  return k + Math.floor((36 * rest) / (rest + 38));
}
