// A record or an input that is described once: its type in GraphQL, its JSON Schema in REST, and the checks of arguments.
import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dateTime } from '../../../src/base/input.js';
import {
  choice,
  count,
  id,
  input,
  milliseconds,
  record,
  shownAs,
  time,
  uuid,
  withheld,
} from '../../../src/base/record.js';
import { argsType, inputType, objectType } from '../../../src/graphql/shapes/from-zod.js';
import { parseArgs } from '../../../src/graphql/shapes/parse-args.js';
import { returned } from '../../../src/http/openapi/json-schema.js';
import { sdlOf } from './sdl-of.js';

const genre = choice('Genre', 'A kind of book.', {
  novel: 'Invented.',
  'short-story': 'Invented, and short.',
  ATLAS: 'Maps.',
});
const author = record('Author', 'Who writes.', { name: z.string().describe('The name.') }).meta({ id: 'Author' });
const chapter = record('Chapter', 'A part.', { title: z.string().min(1).describe('The title.') });
const book = record('Book', 'What is read.', {
  bookId: uuid.describe('Its id.'),
  shelf: id.max(10).nullable().describe('Its shelf; null: none.'),
  genre: genre.describe('Its kind.'),
  otherGenre: genre.nullable().describe('Another kind.'),
  printedAt: time.describe('When it was printed.'),
  soldAt: time.nullable().describe('When it was sold.'),
  pages: count.describe('How many pages.'),
  readMs: milliseconds.describe('How long reading takes.'),
  weight: z.number().optional().describe('In grams.'),
  isRare: z.boolean().describe('Whether there are few.'),
  author: author.describe('Its author.'),
  editor: author.nullable().describe('Its editor.'),
  chapters: z.array(chapter).describe('Its parts.'),
  reviews: z.array(z.string().nullable()).nullable().describe('What readers say.'),
  extra: z.record(z.string(), z.unknown()).describe('Anything.'),
  cover: shownAs('String', z.enum(['hard', 'soft'])).describe('hard or soft.'),
  format: shownAs('JSON', z.object({ width: z.number() })).describe('Its size.'),
  price: withheld(count.describe('What it costs.')),
  boughtAt: withheld(time.describe('When it was bought.')),
});

const SDL = `
"""Who writes."""
type Author {
  """The name."""
  name: String!
}

"""What is read."""
type Book {
  """Its author."""
  author: Author!

  """Its id."""
  bookId: ID!

  """When it was bought."""
  boughtAt: DateTime

  """Its parts."""
  chapters: [Chapter!]!

  """hard or soft."""
  cover: String!

  """Its editor."""
  editor: Author

  """Anything."""
  extra: JSON!

  """Its size."""
  format: JSON!

  """Its kind."""
  genre: Genre!

  """Whether there are few."""
  isRare: Boolean!

  """Another kind."""
  otherGenre: Genre

  """How many pages."""
  pages: Int!

  """What it costs."""
  price: Int

  """When it was printed."""
  printedAt: DateTime!

  """How long reading takes."""
  readMs: Int!

  """What readers say."""
  reviews: [String]

  """Its shelf; null: none."""
  shelf: ID

  """When it was sold."""
  soldAt: DateTime

  """In grams."""
  weight: Float
}

"""A part."""
type Chapter {
  """The title."""
  title: String!
}
`;

const text = (description: string, more: object = {}) => ({ type: 'string', ...more, description });

describe('A record', () => {
  const Book = objectType(book);
  const sdl = sdlOf(Book);

  it('a record is a GraphQL type with its ids, times, lists, nulls, scalars, nested records and descriptions', () => {
    expect(sdl).toContain(SDL.trim());
  });

  it('a record has choices in capitals, each with its description', () => {
    expect(sdl).toContain(`"""A kind of book."""
enum Genre {
  """Maps."""
  ATLAS

  """Invented."""
  NOVEL

  """Invented, and short."""
  SHORT_STORY
}`);
  });

  it('a record is a JSON Schema with the same members and descriptions; records with an id are components', () => {
    const { schema, components } = returned(book);
    const author = { $ref: '#/components/schemas/Author' };
    const genres = { type: 'string', enum: ['novel', 'short-story', 'ATLAS'] };
    expect(schema).toEqual({
      type: 'object',
      description: 'What is read.',
      required: Object.keys(book.shape).filter((member) => member !== 'weight'),
      properties: {
        bookId: text('Its id.', { format: 'uuid' }),
        shelf: { type: ['string', 'null'], maxLength: 10, description: 'Its shelf; null: none.' },
        genre: { ...genres, description: 'Its kind.' },
        otherGenre: { anyOf: [genres, { type: 'null' }], description: 'Another kind.' },
        printedAt: text('When it was printed.', { format: 'date-time' }),
        soldAt: { type: ['string', 'null'], format: 'date-time', description: 'When it was sold.' },
        pages: { type: 'integer', minimum: 0, description: 'How many pages.' },
        readMs: { type: 'number', description: 'How long reading takes.' },
        weight: { type: 'number', description: 'In grams.' },
        isRare: { type: 'boolean', description: 'Whether there are few.' },
        author: { ...author, description: 'Its author.' },
        editor: { anyOf: [author, { type: 'null' }], description: 'Its editor.' },
        chapters: {
          type: 'array',
          description: 'Its parts.',
          items: {
            type: 'object',
            description: 'A part.',
            required: ['title'],
            properties: { title: { type: 'string', minLength: 1, description: 'The title.' } },
          },
        },
        reviews: { type: ['array', 'null'], items: { type: ['string', 'null'] }, description: 'What readers say.' },
        extra: { type: 'object', additionalProperties: true, description: 'Anything.' },
        cover: { type: 'string', enum: ['hard', 'soft'], description: 'hard or soft.' },
        format: {
          type: 'object',
          required: ['width'],
          properties: { width: { type: 'number' } },
          description: 'Its size.',
        },
        price: { type: 'integer', minimum: 0, description: 'What it costs.' },
        boughtAt: text('When it was bought.', { format: 'date-time' }),
      },
    });
    expect(components).toEqual({
      Author: {
        type: 'object',
        description: 'Who writes.',
        required: ['name'],
        properties: { name: text('The name.') },
      },
    });
  });

  it('a record is one class wherever it is used, also if it has another description there', () => {
    expect(objectType(author.describe('The second author.'))).toBe(objectType(author));
  });

  it.each([
    [
      'a member without a description',
      record('Bare', 'Bare.', { name: z.string() }),
      /member name of Bare needs a desc/,
    ],
    ['a record without a name', z.object({ name: z.string().describe('Its name.') }), /needs a name to be a type/],
    [
      'a schema that GraphQL has no type for',
      record('Odd', 'Odd.', { it: z.symbol().describe('It.') }),
      /zod's symbol/,
    ],
  ])('a record is refused with %s', (_what, odd, refusal) => {
    expect(() => objectType(odd)).toThrow(refusal);
  });
});

describe('An input', () => {
  const line = input('LineInput', 'A line.', { note: z.string().optional().describe('A note.') });
  const order = input('OrderInput', 'What is ordered.', {
    bookId: uuid.describe('Which.'),
    genre: genre.optional().describe('Which kind.'),
    copies: z.int().min(1).max(9).default(1).describe('How many: 1 to 9, default 1.'),
    by: dateTime().optional().describe('The last day.'),
    lines: z.array(line).optional().describe('Its lines.'),
    extra: z.record(z.string(), z.unknown()).optional().describe('Anything.'),
    gift: z.boolean().nullable().optional().describe('Whether it is a gift; null: to be asked.'),
  });
  const bookId = '5f0c2b1e-7f43-4f6e-9d4e-0a5f3c1d2b3a';

  it('an input may omit the same members in GraphQL as in REST', () => {
    const OrderInput = inputType(order);
    const OrderArgs = argsType(line);
    expect(OrderArgs).not.toBe(inputType(line));
    const sdl = sdlOf(String, OrderInput);
    const fields = [...sdl.slice(sdl.indexOf('input OrderInput')).matchAll(/^ {2}(\w+): (.+)$/gm)];
    expect(Object.fromEntries(fields.slice(0, 7).map(([, name, type]) => [name, type]))).toEqual({
      bookId: 'ID!',
      by: 'String',
      copies: 'Int',
      extra: 'JSON',
      genre: 'Genre',
      gift: 'Boolean',
      lines: '[LineInput!]',
    });
  });

  it('an input treats null as absent, unless null has a meaning', () => {
    const lines = [{ note: null }, { note: 'signed' }];
    expect(parseArgs(order, { bookId, genre: null, copies: null, lines, extra: { a: null }, gift: null })).toEqual({
      bookId,
      copies: 1,
      lines: [{}, { note: 'signed' }],
      extra: { a: null },
      gift: null,
    });
    expect(parseArgs(order, { bookId, lines: null })).toEqual({ bookId, copies: 1 });
  });

  it('an input has times in GraphQL where REST has texts', () => {
    expect(parseArgs(order, { bookId, by: new Date(0) })).toMatchObject({ by: '1970-01-01T00:00:00.000Z' });
    expect(parseArgs(z.object({ at: time }), { at: new Date(0) })).toEqual({ at: new Date(0) });
  });

  it.each([
    [{ bookId: null }, '"bookId" must be a UUID.'],
    [{ bookId, copies: 10 }, '"copies" must be at most 9.'],
    [{ bookId, lines: [{ note: 3 }] }, '"lines[0].note" must be a string.'],
    [{ bookId, colour: 'red' }, '"colour" is not a field that is known here.'],
  ])('an input refuses %j with a sentence', (args, message) => {
    expect(() => parseArgs(order, args)).toThrow(message);
  });
});
