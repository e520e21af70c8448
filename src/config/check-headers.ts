// The names of a connection's own headers. Headers that the client sets itself, or that concern the connection and not the
// call, are refused: they would break calls in ways that are hard to see.
import { mappingAt, type Path, type Remark } from './remarks.ts';
import type { YamlSource } from './yaml-source.ts';

/** RFC 9110, "Field Names": a token. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const OURS = /^(accept|accept-encoding|authorization|content-(encoding|length|type)|host|user-agent)$/i;
/** RFC 9110, "Connection", and headers that HTTP clients refuse for the same reason. */
const HOP_BY_HOP = /^(connection|expect|keep-alive|proxy-(authenticate|authorization|connection)|te|trailer|transfer-encoding|upgrade)$/i;

/** Mistakes in the names of headers, at the names. The schema checks their values. */
export function checkHeaders(source: YamlSource): Remark[] {
  return Object.keys(mappingAt(source.value, ['connections'])).flatMap((name) => checkNames(['connections', name, 'headers'], source));
}

function checkNames(path: Path, source: YamlSource): Remark[] {
  const seen = new Map<string, string>();
  return Object.keys(mappingAt(source.value, path)).flatMap((name): Remark[] => {
    const lower = name.toLowerCase();
    const twin = seen.get(lower);
    seen.set(lower, name);
    const text = problemOf(name, twin);
    return text === undefined ? [] : [source.remark([...path, name], text, 'key')];
  });
}

function problemOf(name: string, twin: string | undefined): string | undefined {
  if (!HEADER_NAME.test(name)) return 'is not a name of a header; expected letters, digits and hyphens, such as X-Gateway-Key';
  if (OURS.test(name)) return 'is a header that Searchmill sets itself; expected it to be left out (credentials belong in auth)';
  if (HOP_BY_HOP.test(name)) return 'is a header about the connection to the next hop, not about the call; expected it to be left out';
  return twin === undefined ? undefined : `is the same header as ${twin}, since case is ignored; expected only one of them`;
}
