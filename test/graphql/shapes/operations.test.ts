// A row that defines a field of GraphQL and a route of REST: where the members of its input come from, and how its output is returned.
import 'reflect-metadata';
import { graphql, lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchemaSync, type NonEmptyArray } from 'type-graphql';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ANONYMOUS, type Caller, internalOperator } from '../../../src/base/callers/caller.js';
import { id, input, record } from '../../../src/base/record.js';
import { operationResolvers } from '../../../src/graphql/shapes/operation-resolver.js';
import { operationsOf } from '../../../src/http/routes/operation.js';
import { operationRoutes } from '../../../src/http/routes/operation-routes.js';
import type { AnyRoute } from '../../../src/http/routes/route.js';

const book = record('Book', 'A book.', { bookId: id.describe('Its id.'), title: z.string().describe('Its title.') });
const payload = record('PutBookPayload', 'A written book.', { book: book.describe('The book.') });
const one = input('BookInput', 'Which book.', { bookId: id.max(10).describe('Its id.') });
const put = input('PutBookInput', 'A book.', {
  bookId: id.max(10).describe('Its id.'),
  title: z.string().min(1).describe('Its title.'),
  ifMatch: z.string().optional().describe('Its etag.'),
});
const compare = input('CompareBooksInput', 'Two books.', {
  a: id.max(10).describe('One.'),
  b: id.max(10).describe('Another.'),
});
const find = input('FindBooksInput', 'Which books.', {
  author: z.string().optional().describe('Only by this author.'),
});

/** Returns its arguments. */
interface Shelf {
  asked(...of: unknown[]): unknown;
}
const { query, listing, mutation } = operationsOf<{ shelf: Shelf }>();
const OPERATIONS = [
  query('book', 'A book.', {
    callers: 'public',
    input: one,
    output: book.nullable(),
    run: async ({ shelf }, { input }) => shelf.asked('book', input) as never,
    rest: { method: 'GET', path: '/v1/books/:id', members: { id: 'bookId' }, summary: 'A book' },
  }),
  query('books', 'All books.', {
    callers: ['partner', 'operator'],
    permission: 'startVerification',
    input: find,
    output: z.array(book),
    run: async ({ shelf }, { caller, input }) => shelf.asked('books', caller.kind, input) as never,
    rest: { method: 'GET', path: '/v1/books', summary: 'All books' },
  }),
  listing('lentBooks', 'Lent books.', {
    callers: 'holder',
    output: book,
    listing: { what: 'books', most: 50, size: 5, cursorLength: 300 },
    run: async ({ shelf }, { input }) => shelf.asked('lentBooks', input) as never,
    rest: { method: 'GET', path: '/v1/lent-books', summary: 'Lent books' },
  }),
  query('sameBooks', 'Whether two books are the same.', {
    callers: 'public',
    input: compare,
    output: z.boolean(),
    run: async ({ shelf }, { input, address }) => shelf.asked('sameBooks', input, address) === undefined,
    rest: {
      method: 'POST',
      path: '/v1/books/same',
      request: {
        body: z.record(z.string(), z.unknown()),
        bodyAs: compare,
        input: ({ body }) => compare.parse(body),
      },
      summary: 'Whether two books are the same',
    },
    graphql: { argument: 'Which two.' },
  }),
  query('newBooks', 'New books.', {
    callers: 'public',
    input: z.strictObject({ first: z.int().default(3).describe('How many.') }),
    output: z.array(book),
    run: async ({ shelf }, { input }) => shelf.asked('books', input) as never,
  }),
  mutation('putBook', 'Writes a book.', {
    callers: 'operator',
    audit: 'none',
    input: put,
    output: book,
    run: async ({ shelf }, { input }) => shelf.asked('putBook', input) as never,
    rest: {
      method: 'PUT',
      path: '/v1/books/:bookId',
      headers: { 'if-match': 'ifMatch' },
      summary: 'Write a book',
      respond: (book) => ({ body: book, headers: { etag: '"1"' } }),
    },
    graphql: { argument: 'Its content.', payload, show: (book) => ({ book }) },
  }),
  mutation('dropBook', 'Removes a book.', {
    callers: 'operator',
    role: 'catalog',
    audit: 'none',
    input: one,
    run: async ({ shelf }, { input }) => void shelf.asked('dropBook', input),
    rest: { method: 'DELETE', path: '/v1/books/:id', members: { id: 'bookId' }, summary: 'Remove a book' },
    graphql: { payload: z.boolean(), show: (_nothing, { bookId }) => bookId === 'b1' },
  }),
];

const BOOK = { bookId: 'b1', title: 'Emma' };
const PAGE = { nodes: [BOOK], edges: [], pageInfo: { hasNextPage: true, endCursor: 'c1' } };
const partner = (...scopes: string[]) => ({ kind: 'partner', scopes }) as unknown as Caller;
const holder = { kind: 'holder' } as Caller;
const operator = internalOperator('cli');

const calls: unknown[][] = [];
const services = {
  shelf: {
    asked(...of: unknown[]) {
      calls.push(of);
      return of[0] === 'books' ? [BOOK] : of[0] === 'lentBooks' ? PAGE : BOOK;
    },
  },
};
const lastCall = () => calls.at(-1);

const resolvers = operationResolvers(OPERATIONS) as unknown as NonEmptyArray<new () => object>;
const schema = buildSchemaSync({ resolvers, validate: false });
const sdl = printSchema(lexicographicSortSchema(schema));
const routes = new Map(operationRoutes(OPERATIONS, services).map((row) => [`${row.method} ${row.path}`, row]));

async function ask(source: string, caller: Caller) {
  const { data, errors } = await graphql({ schema, source, contextValue: { caller, services, address: '192.0.2.1' } });
  return errors ? errors[0]?.message : JSON.parse(JSON.stringify(data));
}

/** Handles a request whose parts the schemas of the route have checked. */
async function request(name: string, { params = {}, query = {}, body, headers = {} }: Record<string, unknown> = {}) {
  const row = routes.get(name) as AnyRoute;
  const checked = (schema: z.ZodType | undefined, value: unknown) => (schema ? schema.parse(value) : {});
  const parts = {
    params: checked(row.params, params),
    query: checked(row.query, query),
    body: checked(row.body, body),
  };
  return row.handle({ ...parts, headers, caller: operator, address: '192.0.2.2' } as never);
}

describe('In GraphQL', () => {
  it('an operation is a GraphQL field with arguments, or an input, and a return type', () => {
    for (const line of [
      '"""Its id."""\n    bookId: ID!\n  ): Book\n',
      'author: String\n  ): [Book!]!',
      'lentBooks(\n    """Only entries after this cursor."""\n    after: String',
      '"""How many: 1 to 50, default 5."""\n    first: Int\n  ): BookConnection!',
      'sameBooks(\n    """Which two."""\n    input: CompareBooksInput!\n  ): Boolean!',
      'putBook(\n    """Its content."""\n    input: PutBookInput!\n  ): PutBookPayload!',
    ])
      expect(sdl).toContain(line);
  });

  it("an operation's input is made from the arguments, and its payload from the output", async () => {
    const document = 'mutation { putBook(input: { bookId: "b1", title: "Emma", ifMatch: null }) { book { title } } }';
    expect(await ask(document, operator)).toEqual({ putBook: { book: { title: 'Emma' } } });
    expect(lastCall()).toEqual(['putBook', BOOK]);
    expect(await ask('mutation { dropBook(input: { bookId: "b1" }) }', operator)).toEqual({ dropBook: true });
    expect(await ask('{ lentBooks(after: "c0") { nodes { title } } }', holder)).toEqual({
      lentBooks: { nodes: [{ title: 'Emma' }] },
    });
    expect(lastCall()).toEqual(['lentBooks', { after: 'c0', limit: 5 }]);
    expect(await ask('{ newBooks { title } }', ANONYMOUS)).toEqual({ newBooks: [{ title: 'Emma' }] });
    expect(lastCall()).toEqual(['books', { first: 3 }]);
  });

  it('a query may have one argument for all of its input, and a longer cursor', async () => {
    const document = '{ sameBooks(input: { a: "b1", b: "b2" }) }';
    expect(await ask(document, ANONYMOUS)).toEqual({ sameBooks: false });
    expect(lastCall()).toEqual(['sameBooks', { a: 'b1', b: 'b2' }, '192.0.2.1']);
    const lentAfter = (length: number) =>
      ask(`{ lentBooks(after: "${'c'.repeat(length)}") { nodes { title } } }`, holder);
    expect(await lentAfter(300)).toEqual({ lentBooks: { nodes: [{ title: 'Emma' }] } });
    expect(await lentAfter(301)).toBe('"after" must have at most 300 characters.');
  });

  it.each<[string, Caller, string]>([
    [
      '{ books { title } }',
      ANONYMOUS,
      "This needs a partner token in x-partner-auth or the operator's key in x-admin-api-key.",
    ],
    ['{ books { title } }', holder, 'Only partners or operators may do this.'],
    ['{ books { title } }', partner('issue'), 'This needs a partner token with the scope "verify".'],
    ['{ lentBooks { nodes { title } } }', operator, 'Only holders may do this.'],
    [
      'mutation { dropBook(input: { bookId: "b1" }) }',
      { ...operator, role: 'read' },
      'This needs an operator key with the role "catalog".',
    ],
    [
      'mutation { putBook(input: { bookId: "", title: "" }) { book { title } } }',
      { ...operator, role: 'catalog' },
      'This needs an operator key with the role "all".',
    ],
    [
      'mutation { putBook(input: { bookId: "b1", title: "" }) { book { title } } }',
      operator,
      '"title" must not be empty.',
    ],
    ['{ lentBooks(first: 51) { nodes { title } } }', holder, '"first" must be a whole number from 1 to 50.'],
  ])('an operation refuses %s by %o: %s', async (document, caller, message) => {
    const before = calls.length;
    expect(await ask(document, caller)).toBe(message);
    expect(calls.length).toBe(before);
  });

  it('the callers of an operation may call its field', async () => {
    for (const caller of [partner('verify'), operator])
      expect(await ask('{ books(author: null) { title } }', caller)).toEqual({ books: [{ title: 'Emma' }] });
    expect(await ask('{ book(bookId: "b1") { title } }', ANONYMOUS)).toEqual({ book: { title: 'Emma' } });
  });
});

describe('In REST', () => {
  it('an operation is a REST route for the same callers', () => {
    const rights = [...routes].map(([name, { auth, operation, role }]) => [name, auth, operation, role]);
    expect(rights).toEqual([
      ['GET /v1/books/:id', 'public', undefined, 'read'],
      ['GET /v1/books', ['partner', 'operator'], 'startVerification', 'read'],
      ['GET /v1/lent-books', 'holder', undefined, 'read'],
      ['POST /v1/books/same', 'public', undefined, 'read'],
      ['PUT /v1/books/:bookId', 'operator', undefined, 'all'],
      ['DELETE /v1/books/:id', 'operator', undefined, 'catalog'],
    ]);
  });

  it("an operation's members come from the path, header fields, and the query or the body", async () => {
    await request('GET /v1/books/:id', { params: { id: 'b1' } });
    expect(lastCall()).toEqual(['book', { bookId: 'b1' }]);
    await request('GET /v1/books', { query: { author: 'Austen' } });
    expect(lastCall()).toEqual(['books', 'operator', { author: 'Austen' }]);
    const headers = { 'if-match': '"0"' };
    await request('PUT /v1/books/:bookId', { params: { bookId: 'b1' }, body: { title: 'Emma' }, headers });
    expect(lastCall()).toEqual(['putBook', { ...BOOK, ifMatch: '"0"' }]);
    await request('GET /v1/lent-books', { query: { limit: '7' } });
    expect(lastCall()).toEqual(['lentBooks', { limit: 7 }]);
  });

  it("a request of another form is described as in the row, and the row gets the client's address", async () => {
    expect(routes.get('POST /v1/books/same')?.bodyAs).toBe(compare);
    await request('POST /v1/books/same', { body: { a: 'b1', b: 'b2' } });
    expect(lastCall()).toEqual(['sameBooks', { a: 'b1', b: 'b2' }, '192.0.2.2']);
    await request('GET /v1/lent-books', { query: { after: 'c'.repeat(300) } });
    await expect(request('GET /v1/lent-books', { query: { after: 'c'.repeat(301) } })).rejects.toThrow(z.ZodError);
  });

  it('each part of a request is checked and has no members of another part', async () => {
    const params = { bookId: 'b1' };
    for (const body of [{ title: '' }, { title: 'Emma', bookId: 'b2' }, { title: 'Emma', ifMatch: '*' }])
      await expect(request('PUT /v1/books/:bookId', { params, body })).rejects.toThrow(z.ZodError);
    await expect(request('GET /v1/books/:id', { params: { id: 'b2345678901' } })).rejects.toThrow(z.ZodError);
    await expect(request('GET /v1/lent-books', { query: { limit: '51' } })).rejects.toThrow(z.ZodError);
  });

  it('REST returns lists in `items`, pages with a cursor, 204 for nothing, and other responses if a row has them', async () => {
    expect(await request('GET /v1/books/:id', { params: { id: 'b1' } })).toEqual({ status: 200, body: BOOK });
    expect(await request('GET /v1/books')).toEqual({ status: 200, body: { items: [BOOK] } });
    const page = { items: [BOOK], hasMore: true, nextCursor: 'c1' };
    expect(await request('GET /v1/lent-books')).toEqual({ status: 200, body: page });
    expect(await request('DELETE /v1/books/:id', { params: { id: 'b1' } })).toMatchObject({ status: 204 });
    const written = await request('PUT /v1/books/:bookId', { params: { bookId: 'b1' }, body: { title: 'Emma' } });
    expect(written).toEqual({ status: 200, body: BOOK, headers: { etag: '"1"' } });
  });
});
