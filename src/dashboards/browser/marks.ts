// Annotations of a chart, read from the list below it: a dashed line with a number at each annotated week.

export type Mark = Readonly<{ number: string; week: string; texts: readonly string[] }>;

export function readMarks(panel: Element | null): readonly Mark[] {
  return [...(panel?.querySelectorAll<HTMLLIElement>('.annotations [data-week]') ?? [])].map((item) => ({
    number: String(item.value),
    week: item.dataset.week ?? '',
    texts: [...item.querySelectorAll('li')].map((text) => text.textContent ?? ''),
  }));
}

const INCOMPARABLE = 'not comparable with the weeks before';

/** Adds a mark at each week from which figures answer another question. A week with annotations keeps its number; others get `≠`. */
export function markChanges(marks: readonly Mark[], changes: readonly string[]): readonly Mark[] {
  const told = marks.map((mark) => (changes.includes(mark.week) ? { ...mark, texts: [INCOMPARABLE, ...mark.texts] } : mark));
  const others = changes.filter((week) => marks.every((mark) => mark.week !== week));
  return [...told, ...others.map((week) => ({ number: '≠', week, texts: [INCOMPARABLE] }))];
}

/** The marks as the markLine option of an echarts series. */
export function markLines(marks: readonly Mark[], colour: string, fontFamily: string) {
  return {
    silent: true,
    symbol: 'none',
    animation: false,
    lineStyle: { color: colour, type: 'dashed' as const, width: 1, opacity: 0.8 },
    label: { color: colour, fontFamily, fontSize: 11, distance: 3, formatter: ({ name }: { name: string }) => name },
    data: marks.map(({ number, week }) => ({ name: number, xAxis: week })),
  };
}
