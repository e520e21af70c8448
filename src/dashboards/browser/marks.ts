// What happened in the weeks of a chart, from the list under it: a dashed line with a number at each of its weeks.

export type Mark = Readonly<{ number: string; week: string; texts: readonly string[] }>;

export function readMarks(panel: Element | null): readonly Mark[] {
  return [...(panel?.querySelectorAll<HTMLLIElement>('.annotations [data-week]') ?? [])].map((item) => ({
    number: String(item.value),
    week: item.dataset.week ?? '',
    texts: [...item.querySelectorAll('li')].map((text) => text.textContent ?? ''),
  }));
}

const INCOMPARABLE = 'not comparable with the weeks before';

/** With weeks from which on figures answer another question than before; such a week has its number, where it has one. */
export function markChanges(marks: readonly Mark[], changes: readonly string[]): readonly Mark[] {
  const told = marks.map((mark) => (changes.includes(mark.week) ? { ...mark, texts: [INCOMPARABLE, ...mark.texts] } : mark));
  const others = changes.filter((week) => marks.every((mark) => mark.week !== week));
  return [...told, ...others.map((week) => ({ number: '≠', week, texts: [INCOMPARABLE] }))];
}

/** The lines, as echarts takes them with one of the lines of figures. */
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
