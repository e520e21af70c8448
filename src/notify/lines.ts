// Lines of pieces that know no marks: Slack's text and e-mail are made of them, and each escapes what comes from outside in its own way.

export type Piece = string | Readonly<{ bold: string }> | Readonly<{ command: string }> | Readonly<{ link: string; text: string }>;
/** The first line is the head. An `item` is one of a list, a `detail` belongs to the line before it. */
export type Line = Readonly<{ level: 'head' | 'section' | 'text' | 'item' | 'detail'; pieces: readonly Piece[] }>;

export const line = (level: Line['level'], ...pieces: readonly Piece[]): Line => ({
  level,
  pieces: pieces.filter((piece) => piece !== ''),
});

/** A link where people open the pages; nothing where that is not configured. */
export const linksTo = (address: string | null, text: string): Piece[] => (address === null ? [] : [{ link: address, text }]);
