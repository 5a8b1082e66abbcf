// Cells of spreadsheets as values of their fields' types.
import { describe, expect, it } from 'vitest';
import { expiryOf, valueOfCell } from '../../src/common/cells.js';

describe('A cell', () => {
  it.each([
    ['MSc', 'string', 'MSc'],
    ['"MSc"', 'string', 'MSc'],
    ['"quoted" and more', 'string', '"quoted" and more'],
    ['12', 'string', '12'],
    ['39e1804', 'text', '39e1804'],
    ['TRUE', 'boolean', true],
    ['false', 'bool', false],
    ['WAHR', 'boolean', true],
    ['Faux', 'boolean', false],
    ['no', 'boolean', false],
    ['7', 'integer', 7],
    ['-7.0', 'integer', -7],
    ['1.5', 'number', 1.5],
    ['1,5', 'number', 1.5],
    ['1,5000', 'number', 1.5],
    ['1e3', 'double', 1000],
    ['2030-12-31', 'date', '2030-12-31'],
    ['2030/2/1', 'date', '2030-02-01'],
    ['31.12.2030', 'date', '2030-12-31'],
    ['12/31/2030', 'date', '2030-12-31'],
    ['31/12/2030', 'date', '2030-12-31'],
    ['1/1/2030', 'date', '2030-01-01'],
    ['2030-12-31 00:00:00', 'date', '2030-12-31'],
    ['2030-12-31T12:00Z', 'date-time', '2030-12-31T12:00:00Z'],
    ['2030-12-31 12:00:05.25+02:00', 'datetime', '2030-12-31T12:00:05.25+02:00'],
    ['["a",1]', 'string[]', ['a', 1]],
    ['{"a":null}', 'object', { a: null }],
    ['7', 'another type', 7],
    ['7', undefined, 7],
  ])('%s of the type %s is %j', (cell, type, value) => {
    expect(valueOfCell(cell, type)).toStrictEqual(value);
  });

  it.each([
    ['maybe', 'boolean', 'must be true or false'],
    ['1', 'boolean', 'must be true or false'],
    ['gold', 'number', 'must be a number'],
    ['1.5', 'integer', 'must be a whole number'],
    ['9007199254740993', 'integer', 'has more digits than a number can hold'],
    ['1,500', 'number', 'has a comma that may be for thousands or for a fraction'],
    ["1'000", 'integer', 'must be a whole number'],
    ['2030-02-30', 'date', 'is a day that does not exist'],
    ['01/02/2030', 'date', 'is a date whose day and month may be exchanged; write it as 2030-12-31'],
    ['31.12.30', 'date', 'must be a date, such as 2030-12-31'],
    ['2030-12-31', 'date-time', 'must be a date, or a date-time with its zone, such as 2030-12-31T12:00:00Z'],
    ['2030-12-31T12:00:00', 'date-time', 'must be a date, or a date-time with its zone, such as 2030-12-31T12:00:00Z'],
    ['2030-12-31T25:00Z', 'date-time', 'is a time that does not exist'],
    ['\ud800', 'string', 'has a text that is not Unicode: half of a surrogate pair'],
    ['MSc', 'object', 'must be JSON; texts need quotes of their own: "…"'],
    [
      '[9007199254740993]',
      'array',
      'has the number 9007199254740993, which cannot be held exactly; write it as a text',
    ],
  ])('%s of the type %s is refused: it %s', (cell, type, fault) => {
    expect(() => valueOfCell(cell, type)).toThrow(expect.objectContaining({ message: fault }));
  });

  it.each([
    ['2030-12-31', '2030-12-31T00:00:00.000Z'],
    ['31.12.2030', '2030-12-31T00:00:00.000Z'],
    ['2030-12-31 00:00:00', '2030-12-31T00:00:00.000Z'],
    ['2030-12-31T00:00:00+02:00', '2030-12-30T22:00:00.000Z'],
    ['2030-12-31T12:00Z', '2030-12-31T12:00:00.000Z'],
  ])('the expiration %s is %s', (cell, moment) => {
    expect(expiryOf(cell)).toBe(moment);
  });

  it.each(['2030-02-30', '2030-12-31T12:00:00', '31.12.30', 'tomorrow'])('the expiration %s is refused', (cell) => {
    expect(() => expiryOf(cell)).toThrow();
  });
});
