// Dates relative to the day of a verification: how they are written, and which midnight they name.
import { describe, expect, it } from 'vitest';
import { type Condition, literalPoint, parseCondition, printCondition } from '../../src/conditions/index.js';

const dateAt = (literal: string, now: string) => {
  const ms = literalPoint('date', literal, Date.parse(now));
  return new Date(Number(ms)).toISOString();
};

describe('A relative date', () => {
  it.each<[string, Condition['values']]>([
    ['born <= today', ['today']],
    ['born <= TODAY', ['today']],
    ['born <= today - 18 years', ['today - 18 years']],
    ['born <= today-18 Years', ['today - 18 years']],
    ['born <= today + 1 days', ['today + 1 day']],
    ['born <= today - 0 months', ['today']],
    ['born between today - 30 years and today - 18 years', ['today - 30 years', 'today - 18 years']],
    ['born in [today, today + 9999 days]', ['today', 'today + 9999 days']],
  ])('a relative date is parsed in %s, and its printed form is parsed to the same', (text, values) => {
    const condition = parseCondition(text);
    expect(condition.values).toEqual(values);
    expect(parseCondition(printCondition(condition))).toEqual(condition);
  });

  it('a field may have the name today', () => {
    expect(parseCondition('today >= 5')).toEqual({ field: 'today', operator: '$gte', values: [5] });
    expect(parseCondition('a.today exists').field).toBe('a.today');
  });

  it.each([
    ['born <= today - 18', 14, 'was not expected'],
    ['born <= today - 10000 years', 14, 'was not expected'],
    ['born <= today - 1 week', 14, 'was not expected'],
    ['born between today and today - 18 years', 23, 'below the lower one'],
    ['born between today and today - 1 day', 23, 'below the lower one'],
    ['name = "\\ud800"', 7, 'well-formed'],
  ])('a relative date is refused in %s', (text, position, message) => {
    expect(() => parseCondition(text)).toThrow(
      expect.objectContaining({ position, message: expect.stringContaining(message) }),
    );
  });

  it.each([
    ['today', '2024-02-29T23:59:59.999Z', '2024-02-29T00:00:00.000Z'],
    ['today', '1969-12-31T23:00:00Z', '1969-12-31T00:00:00.000Z'],
    ['today - 1 year', '2024-02-29T12:00:00Z', '2023-02-28T00:00:00.000Z'],
    ['today - 4 years', '2024-02-29T12:00:00Z', '2020-02-29T00:00:00.000Z'],
    ['today - 1 month', '2024-03-31T12:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['today + 1 month', '2024-12-31T12:00:00Z', '2025-01-31T00:00:00.000Z'],
    ['today - 1 month', '2024-01-15T12:00:00Z', '2023-12-15T00:00:00.000Z'],
    ['today - 60 days', '2024-02-29T12:00:00Z', '2023-12-31T00:00:00.000Z'],
    ['today - 1974 years', '2024-05-01T00:00:00Z', '0050-05-01T00:00:00.000Z'],
    ['today - 9999 years', '2024-05-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['today + 9999 years', '2024-05-01T00:00:00Z', '9999-12-31T00:00:00.000Z'],
  ])('the relative date %s at %s is %s', (literal, now, expected) => {
    expect(dateAt(literal, now)).toBe(expected);
  });

  it('for a field of texts, a relative date is a text', () => {
    expect(literalPoint('text', 'today', 0)).toBe('today');
  });
});
