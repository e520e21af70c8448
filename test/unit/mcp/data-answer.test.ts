import { expect, it } from 'vitest';
import { jsonOf } from '../../../src/mcp/data-answer.ts';

it.each([
  ['4.40', 'number', 4.4],
  ['1.00', 'number', 1],
  ['0.0', 'number', 0],
  ['100', 'number', 100],
  ['-12.5', 'number', -12.5],
  ['9007199254740993', 'number', '9007199254740993'],
  ['0.12345678901234567890123', 'number', '0.12345678901234567890123'],
  ['t', 'boolean', true],
  ['f', 'boolean', false],
  ['1.0', 'text', '1.0'],
  [null, 'number', null],
] as const)('a cell %j of kind %s is %j in JSON', (cell, kind, json) => {
  expect(jsonOf(cell, kind)).toBe(json);
});
