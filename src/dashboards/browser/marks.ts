// Annotations of a chart, read from the list at the foot of the page: a dashed line with a number at each annotated week.

export type Mark = Readonly<{ number: string; week: string; texts: readonly string[] }>;

/** Those about the datasets of a chart. */
export function readMarks(datasets: readonly string[]): readonly Mark[] {
  return [...document.querySelectorAll<HTMLLIElement>('.what-happened [data-week]')].flatMap((item) => {
    const own = [...item.querySelectorAll('li')].filter(({ dataset: { dataset } }) => dataset === undefined || datasets.includes(dataset));
    const texts = own.map((text) => text.querySelector('bdi')?.textContent ?? '');
    return texts.length === 0 ? [] : [{ number: String(item.value), week: item.dataset.week ?? '', texts }];
  });
}

const INCOMPARABLE = 'not comparable with the weeks before';

/** Adds a mark at each week from which figures answer another question. A week with annotations keeps its number; others get `≠`. */
export function markChanges(marks: readonly Mark[], changes: readonly string[]): readonly Mark[] {
  const told = marks.map((mark) => (changes.includes(mark.week) ? { ...mark, texts: [INCOMPARABLE, ...mark.texts] } : mark));
  const others = changes.filter((week) => marks.every((mark) => mark.week !== week));
  return [...told, ...others.map((week) => ({ number: '≠', week, texts: [INCOMPARABLE] }))];
}

/** The marks as the markLine option of an echarts series. Where the axis is turned round, a line ends at the bottom. */
export function markLines(marks: readonly Mark[], colour: string, fontFamily: string, isTurned: boolean) {
  return {
    silent: true,
    symbol: 'none',
    animation: false,
    lineStyle: { color: colour, type: 'dashed' as const, width: 1, opacity: 0.8 },
    label: {
      position: isTurned ? ('start' as const) : ('end' as const),
      color: colour,
      fontFamily,
      fontSize: 11,
      distance: 3,
      formatter: ({ name }: { name: string }) => name,
    },
    data: marks.map(({ number, week }) => ({ name: number, xAxis: week })),
  };
}
