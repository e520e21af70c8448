// aliases: spellings that mean one thing.
import { expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { completeJobFile, mistakesIn } from './jobs-file.ts';

const file = (line: string): string => `${line}\n${completeJobFile()}`;

it('aliases are of engines, places and languages', () => {
  const text = file('aliases: { engine: { chatgptsearch: chatgpt, "ChatGPT (Search)": chatgpt }, locode: { "US NYC": US-NY } }');
  expect(parseJobsConfig('jobs.yaml', text, {}).config.aliases).toEqual([
    { kind: 'engine', spelling: 'chatgptsearch', meaning: 'chatgpt' },
    { kind: 'engine', spelling: 'ChatGPT (Search)', meaning: 'chatgpt' },
    { kind: 'locode', spelling: 'US NYC', meaning: 'US-NY' },
  ]);
  expect(parseJobsConfig('jobs.yaml', completeJobFile(), {}).config.aliases).toEqual([]);
});

it.each([
  [
    'aliases: { engines: { a: b } }',
    '1:12: aliases.engines: is not known here; expected one of engine, locode, language; did you mean engine?',
  ],
  ['aliases: { engine: { a: [b] } }', '1:25: aliases.engine.a: is a list; expected text: the name that boards use'],
  ['aliases: { engine: { a: b, b: c } }', '1:25: aliases.engine.a: is b, which is itself a spelling of c; expected c'],
])('%s is a mistake', (line, mistake) => {
  expect(mistakesIn(file(line))).toEqual([mistake]);
});
