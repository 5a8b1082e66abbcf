// What clients are told about an answer that does not fit: sentences of the gateway, whichever of the three forms it is.
import { expect, it } from 'vitest';
import { parseInput } from '../../../src/base/input.js';
import { answerBody } from '../../../src/verification/forms/inputs.js';

it.each([
  [{}, '"coreClaimHash" is missing.'],
  [{ coreClaimHash: 7 }, '"coreClaimHash" must be a string.'],
  [{ cannot: false }, '"cannot" must be true.'],
  [{ declined: true, more: 1 }, '"more" is not a field that is known here.'],
])('the input %j is refused: %s', (body, message) => {
  expect(() => parseInput(answerBody, body)).toThrow(expect.objectContaining({ message }));
});
