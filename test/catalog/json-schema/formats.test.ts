// Formats of documents: days and times must exist, as RFC 3339 says, at any place in a subject.
import { expect, it } from 'vitest';
import { compileSubject } from '../../../src/catalog/json-schema/subject-check.js';

/**
 * Whether texts fit a format inside an object, in a list and among several types, where the type of a data point does
 * not check it.
 */
const fits = (format: string, text: string): boolean[] => {
  const a = { type: 'string', format };
  const places: [object, unknown][] = [
    [{ type: 'object', properties: { b: a } }, { b: text }],
    [{ type: 'array', items: a }, [text]],
    [{ anyOf: [a, { type: 'integer' }] }, text],
  ];
  return places.map(([schema, value]) => {
    const check = compileSubject({ properties: { credentialSubject: { properties: { a: schema } } } });
    return check({ id: 'did:key:z', a: value }) === undefined;
  });
};

it.each<[string, string[], string[]]>([
  [
    'date',
    ['2024-02-29', '2026-12-31', '0001-01-01'],
    ['2026-02-31', '2026-13-39', '2026-02-29', '1900-02-29', '2026-00-10', '2026-01-00', '2026-1-1', '２026-01-01'],
  ],
  [
    'time',
    [
      '23:59:59Z',
      '00:00:00.123456+05:30',
      '12:00:00z',
      '23:59:60Z',
      '15:59:60-08:00',
      '00:29:60.5+00:30',
      '00:59:59.999999999999999Z',
    ],
    [
      '25:00:00Z',
      '12:60:00Z',
      '12:00:61Z',
      '12:00:60Z',
      '23:59:60+01:00',
      '12:00:00',
      '12:00:00+24:00',
      '24:59:60+01:00',
      '12:00:00+05',
    ],
  ],
  [
    'date-time',
    [
      '2026-02-28T12:00:00Z',
      '2026-02-28t12:00:00.5z',
      '2016-12-31T23:59:60Z',
      '1990-12-31T15:59:60-08:00',
      '2017-01-01T00:59:60.25+01:00',
    ],
    [
      '2026-02-31T12:00:00Z',
      '2026-02-28T25:00:00Z',
      '2026-02-28 12:00:00Z',
      '2026-02-28T12:00:00',
      '2026-02-28T12:00:00+0530',
      '2016-12-30T23:59:60Z',
      '2016-12-31T22:59:60Z',
      '2016-12-31T23:59:61Z',
      '2016-12-31T24:59:60+01:00',
      '2026-02-28T12:00:00ZT',
    ],
  ],
  ['duration', ['P1Y2M3DT4H5M6S', 'P2W', 'PT36H'], ['P', 'P1D2H', '1D', 'PT1D']],
  ['ipv4', ['127.0.0.1'], ['127.0.0.256', '127.1', '087.10.0.1']],
  [
    'uuid',
    ['2eb8aa08-aa98-11ea-b4aa-73b441d16380'],
    ['2eb8aa08-aa98-11ea-b4aa-73b441d1638', '2eb8aa08aa9811eab4aa73b4'],
  ],
  ['uri', ['https://a.example/b?c#d', 'urn:x:y'], ['//a.example/b', 'a b', 'https://a.example/<>']],
])('the format of a text is checked: %s', (format, fitting, others) => {
  for (const text of fitting) expect([text, ...fits(format, text)]).toEqual([text, true, true, true]);
  for (const text of others) expect([text, ...fits(format, text)]).toEqual([text, false, false, false]);
});
