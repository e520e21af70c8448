// Lines of pieces without markup. Slack text and e-mail are made from them, and each escapes text from outside in its own way.

export type Piece = string | Readonly<{ bold: string }> | Readonly<{ command: string }> | Readonly<{ link: string; text: string }>;
/** The first line is the `head`. An `item` is an entry of a list; a `detail` belongs to the line before it. */
export type Line = Readonly<{ level: 'head' | 'section' | 'text' | 'item' | 'detail'; pieces: readonly Piece[] }>;

export const line = (level: Line['level'], ...pieces: readonly Piece[]): Line => ({
  level,
  pieces: pieces.filter((piece) => piece !== ''),
});

/** A link to `address`; nothing when it is null, since the address of the pages is not configured. */
export const linksTo = (address: string | null, text: string): Piece[] => (address === null ? [] : [{ link: address, text }]);
