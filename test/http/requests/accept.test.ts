// The Accept header: which types a client names, and which it prefers.
import { describe, expect, it } from 'vitest';
import { accepts, names, prefers, qualityOf } from '../../../src/http/requests/accept.js';

const [JSON_TYPE, PROBLEM] = ['application/json', 'application/problem+json'];

describe('An Accept header', () => {
  it.each([
    [false, `${PROBLEM};profile="a,b";q=0.2, ${JSON_TYPE};q=0.3`],
    [true, `${PROBLEM};profile="a,b";q=0.4, ${JSON_TYPE};q=0.3`],
    [true, `${PROBLEM};profile="\\";q=0.1,";q=0.4, ${JSON_TYPE};q=0.3`],
    [false, `${JSON_TYPE};profile="${PROBLEM}, `],
  ])('an Accept header is not split inside quotes: %s for %s', (isPreferred, accept) => {
    expect(prefers(accept, PROBLEM, JSON_TYPE)).toBe(isPreferred);
  });

  it.each([
    [true, PROBLEM],
    [true, `${PROBLEM}, */*`],
    [true, `${PROBLEM}, ${JSON_TYPE}`],
    [true, `*/*;q=0.9, ${PROBLEM}`],
    [true, `*/*, ${PROBLEM}`],
    [false, `*/*, ${PROBLEM};q=0.9`],
    [false, `${JSON_TYPE}, ${PROBLEM}`],
  ])('an Accept header prefers by quality, then by name, then by position: %s for %s', (isPreferred, accept) => {
    expect(prefers(accept, PROBLEM, JSON_TYPE)).toBe(isPreferred);
  });

  it('an Accept header refuses a type with quality 0', () => {
    const accept = `*/*;q=0.5, ${JSON_TYPE};q=0`;
    expect(qualityOf(accept, JSON_TYPE)).toBe(0);
    expect(qualityOf(accept, PROBLEM)).toBe(0.5);
    expect(names(accept, 'json')).toBe(false);
    expect(accepts(accept, [JSON_TYPE])).toBe(false);
  });
});
