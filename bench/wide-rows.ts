// Rows of keyword_rankings with realistic widths, about 430 bytes as JSON, made from their number alone.

const WORDS = [
  'running',
  'shoes',
  'waterproof',
  'hiking',
  'tent',
  'ultralight',
  'jacket',
  'winter',
  'kids',
  'best',
  'review',
  'cheap',
  'trail',
  'women',
  'men',
  'camping',
];
const word = (n: number): string => WORDS[n % WORDS.length] ?? '';

/** The 31 values of row number `row` for a week, as strings. Every row is another one by its identity columns. */
export function wideRow(row: number, start: string, end: string): string[] {
  const keyword = Math.floor(row / 20);
  const rank = (row % 20) + 1;
  const query = `${word(keyword)} ${word(keyword >> 4)} ${word(keyword >> 8)} ${keyword.toString(36)}`;
  const domain = `shop-${(row * 7919) % 997}.example`;
  return [
    '12345',
    'Brightpeak Outdoor',
    'org-7f3a91',
    'Brightpeak Group',
    '501',
    'Brightpeak Shop',
    start,
    end,
    end,
    'Google',
    'google',
    'US',
    'en',
    'US',
    row % 2 === 0 ? 'DESKTOP' : 'SMARTPHONE',
    query,
    `${query} | compare prices and read reviews at ${domain}`,
    `https://www.${domain}/c/${word(row)}/${query.replaceAll(' ', '-')}-${row}.html`,
    domain,
    `www.${domain}`,
    'STANDARD_LINK',
    String(rank),
    String(rank + (row % 4)),
    String(rank),
    `${1000 + (keyword % 40)},${2000 + (keyword % 7)}`,
    `Group ${keyword % 40},Season ${keyword % 7}`,
    String(100 + ((keyword * 37) % 50_000)),
    ((keyword % 900) / 100).toFixed(2),
    ((keyword % 100) / 100).toFixed(2),
    String(100 + ((keyword * 31) % 50_000)),
    `${start.slice(0, 4)}${start.slice(5, 7)}`,
  ];
}
