// Cursors decode to what was encoded, and no other text is accepted as a cursor.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/base/errors.js';
import { KINDS, type Order } from '../../../src/catalog/lists/kinds.js';
import { type CursorScope, decodeCursor, encodeCursor } from '../../../src/catalog/lists/cursor.js';

const byPopularity: CursorScope = { list: 'credentials', order: 'POPULARITY', direction: 'DESC' };

function order(name: string): Order {
  const found = KINDS.credentials.orders[name];
  if (found === undefined) throw new Error(`no order ${name}`);
  return found;
}

const read = (cursor: string, scope = byPopularity) => decodeCursor(cursor, scope, order(scope.order), 'after');
const raw = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');

function refusal(cursor: string, scope = byPopularity): DomainError {
  try {
    read(cursor, scope);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error(`${cursor} was taken for a cursor`);
}

describe('a cursor', () => {
  it('a cursor decodes to the position that it was made for, whatever the id and name contain', () => {
    const byName: CursorScope = { list: 'credentials', order: 'NAME', direction: 'ASC' };
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (value, id) => {
        expect(read(encodeCursor(byName, { value, id }), byName)).toEqual({ value, id });
      }),
    );
  });

  const good = encodeCursor(byPopularity, { value: 7, id: 'c1' });
  it.each([
    ['empty', ''],
    ['not base64url', '%%%'],
    ['not JSON', Buffer.from('hello').toString('base64url')],
    ['cut short', good.slice(0, -6)],
    ['too long', 'A'.repeat(5000)],
    ['an object', raw({ value: 1 })],
    ['a null', raw(null)],
    ['with a value of another type', raw(['credentials POPULARITY DESC', 'seven', 'c1'])],
    ['with an operator for a value', raw(['credentials POPULARITY DESC', { $gt: '' }, 'c1'])],
    ['with an operator for an id', raw(['credentials POPULARITY DESC', 7, { $ne: null }])],
    ['with a value beyond numbers', Buffer.from('["credentials POPULARITY DESC",1e999,"c1"]').toString('base64url')],
    ['with more than it should hold', raw(['credentials POPULARITY DESC', 7, 'c1', 'more'])],
    ['with half of a surrogate pair', raw(['credentials POPULARITY DESC', 7, '\ud800'])],
  ])('a cursor is refused when it is %s', (_, cursor) => {
    expect(refusal(cursor)).toMatchObject({ code: 'BAD_USER_INPUT', data: { field: 'after' } });
  });

  it.each([
    ['NAME', '\udc00'],
    ['CREATED', 1_700_000_000_000.5],
    ['CREATED', 1e300],
  ])('a cursor of the order %s is refused when the store cannot have its value', (name, value) => {
    const scope: CursorScope = { list: 'credentials', order: name, direction: 'ASC' };
    expect(refusal(raw([`credentials ${name} ASC`, value, 'c1']), scope)).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it.each([
    ['another list', { ...byPopularity, list: 'programs' }],
    ['another order', { ...byPopularity, order: 'NAME' }],
    ['the other direction', { ...byPopularity, direction: 'ASC' as const }],
  ])('a cursor of %s is refused', (_, scope) => {
    const foreign = encodeCursor(scope, { value: 7, id: 'c1' });
    expect(refusal(foreign)).toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining('another list or order'),
    });
  });

  it('a cursor with a time that does not exist is refused', () => {
    const byDate: CursorScope = { list: 'credentials', order: 'CREATED', direction: 'DESC' };
    expect(refusal(raw(['credentials CREATED DESC', 9e15, 'c1']), byDate).code).toBe('BAD_USER_INPUT');
  });
});
