const MAX_DOMAIN = 253;

/** A domain as figures know it, made as search_reports.bare_domain makes it: in lower case (ASCII) without `www.`, which `www.com` keeps. */
export const bareDomain = (domain: string): string =>
  domain
    .replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .replace(/^www\.(?=.+\.)/s, '')
    .slice(0, MAX_DOMAIN);
