// Rows of a file with the same recipient, as the console tells them before anything is sent.
import { expect, it } from 'vitest';
import { sameRecipients } from '../../src/console/partner/same-recipient.js';

const rows = (...emails: string[]) =>
  emails.map((email, index) => ({ rowKey: String(index + 1), email, credentialSubject: {} }));

it('one recipient in two rows is found in any spelling', () => {
  const same = sameRecipients(
    rows(
      'a@example.org',
      'b@example.org',
      'A@Example.org ',
      'é@bücher.example',
      'e\u0301@xn--bcher-kva.example',
      'a@example.org',
    ),
  );
  expect(same).toEqual([
    ['3', '1'],
    ['5', '4'],
    ['6', '1'],
  ]);
});

it('texts that are no addresses are compared as they are', () => {
  expect(sameRecipients(rows('a', 'a@b c', 'a@b c'))).toEqual([['3', '2']]);
});
