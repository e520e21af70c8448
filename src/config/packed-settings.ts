// Settings in a form that goes from one thread to another in parts, so that taking them over never takes long: 10,000 jobs are some
// 100,000 values. Each list and mapping is packed once, after what it holds, and named by its place. What is shared stays shared.
import { Secret } from '../core/secret.ts';
import { Turns } from '../core/turns.ts';
import { DATASETS, datasetNamed } from '../datasets/index.ts';
import { freezeAlone } from './freeze.ts';

/** A value that holds no others, or the place of one that was packed before. */
type Held = Readonly<{ plain: unknown } | { place: number }>;

export type PackedValue =
  | Readonly<{ kind: 'secret'; text: string }>
  | Readonly<{ kind: 'dataset'; name: string }>
  | Readonly<{ kind: 'list'; items: readonly Held[] }>
  | Readonly<{ kind: 'map' | 'mapping'; entries: readonly (readonly [string, Held])[] }>;

/** Most values in one part; a list with more is a part of its own. */
const PART_VALUES = 2_000;

/** Packs settings; the last value of the last part is the whole. */
export function packParts(settings: object): PackedValue[][] {
  const places = new Map<object, number>();
  const parts: PackedValue[][] = [[]];
  let room = PART_VALUES;
  const hold = (value: unknown): Held => (typeof value === 'object' && value !== null ? { place: placeOf(value) } : { plain: value });
  const placeOf = (value: object): number => {
    const known = places.get(value);
    if (known !== undefined) return known;
    const packed = packOne(value, hold);
    const size = sizeOf(packed);
    if (size > room && room < PART_VALUES) {
      parts.push([]);
      room = PART_VALUES;
    }
    room -= size;
    parts.at(-1)?.push(packed);
    places.set(value, places.size);
    return places.size - 1;
  };
  placeOf(settings);
  return parts;
}

function packOne(value: object, hold: (part: unknown) => Held): PackedValue {
  if (value instanceof Secret) return { kind: 'secret', text: value.reveal() };
  const dataset = DATASETS.find((each) => each === value);
  if (dataset) return { kind: 'dataset', name: dataset.name };
  if (Array.isArray(value)) return { kind: 'list', items: value.map(hold) };
  const entries = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value);
  return { kind: value instanceof Map ? 'map' : 'mapping', entries: entries.map(([key, part]) => [key, hold(part)] as const) };
}

function sizeOf(packed: PackedValue): number {
  if (packed.kind === 'list') return 1 + packed.items.length;
  return packed.kind === 'map' || packed.kind === 'mapping' ? 1 + packed.entries.length : 1;
}

/** Makes settings of parts, deeply frozen, in turns. */
export class Unpacker {
  readonly #values: unknown[] = [];

  get last(): unknown {
    return this.#values.at(-1);
  }

  async add(part: readonly PackedValue[]): Promise<void> {
    const turns = new Turns();
    for (const packed of part) {
      if (turns.isOver) await turns.next();
      // What it holds is frozen already.
      this.#values.push(freezeAlone(this.#unpack(packed)));
    }
  }

  #unpack(packed: PackedValue): unknown {
    const take = (held: Held): unknown => ('place' in held ? this.#values[held.place] : held.plain);
    switch (packed.kind) {
      case 'secret':
        return new Secret(packed.text);
      case 'dataset':
        return datasetNamed(packed.name);
      case 'list':
        return packed.items.map(take);
      case 'map':
        return new Map(packed.entries.map(([key, held]) => [key, take(held)]));
      case 'mapping':
        return Object.fromEntries(packed.entries.map(([key, held]) => [key, take(held)]));
    }
  }
}
