// Operations that GraphQL and REST have: one row says who may call, what comes in and out, what it costs and what it does. The field of
// GraphQL (graphql/shapes/operation-resolver.ts) and the route of REST (operation-routes.ts) derive from it.
import type { z } from 'zod';
import type { Caller, CredentialedKind, OperatorRole } from '../../base/callers/caller.js';
import { PARTNER_OPERATIONS, type PartnerOperation } from '../../base/callers/partner-operations.js';
import type { AuditOperation } from '../../store/audit-operations.js';
import type { HeaderName, Route, RouteAnswer, RouteInput } from './route.js';

type Kinds = CredentialedKind | 'public';
type CallerOf<K extends Kinds> = K extends CredentialedKind ? Extract<Caller, { kind: K }> : Caller;

/** A call whose caller may make it, with checked input. */
export interface Call<C, I> {
  caller: C;
  input: I;
  /** The client's IP address, for limits; undefined if it is unknown. */
  address: string | undefined;
}

/** The page of a listing that is asked for. */
export interface PageInput {
  limit: number;
  after?: string | undefined;
}

/** The route of an operation. Members of the input come from its path and header fields, the rest from the query of a GET or DELETE, else the body. */
export interface RestForm<I, O>
  extends Pick<Route, 'method' | 'path' | 'summary' | 'fails' | 'bodyLimit' | 'exactMember'>,
    Partial<Pick<Route, 'answers'>> {
  /** The members of the input that parameters of the path are, where their names differ: `{ id: 'webhookId' }`. */
  members?: Readonly<Record<string, keyof I & string>>;
  /** The members of the input that header fields are: `{ 'if-match': 'ifMatch' }`. */
  headers?: { readonly [H in HeaderName]?: keyof I & string };
  /** Where the request is of another form than the input: its schemas, and the input that it means. */
  request?: Pick<Route, 'params' | 'query' | 'body' | 'bodyAs'> & {
    input(request: RouteInput<Readonly<Record<string, string>>, Readonly<Record<string, unknown>>, unknown>): I;
  };
  /** Default: 200, or 204 without output. */
  status?: number;
  /** The response, where it is not the output with the status; `answers` describes it. */
  respond?(output: O, input: I): RouteAnswer;
}

/** The field of an operation in GraphQL. */
export interface GraphqlForm<I, O> {
  /** The description of the argument `input`. Mutations have one; a query with a description has one in place of an argument for each member. */
  argument?: string;
  /** The field's return value, if it is not the output. */
  payload?: z.ZodType;
  /** Makes the payload. */
  show?(output: O, input: I): unknown;
  /** What the execution must know of the field (documents/cost.ts). */
  extensions?: Readonly<Record<string, unknown>>;
}

/** A list by cursor, newest first: a connection in GraphQL, `{items, hasMore, nextCursor}` in REST. */
export interface Listing {
  /** What its entries are called in descriptions, in the plural. */
  what: string;
  /** How many entries a page has at most, and unless the client says. */
  most: number;
  size: number;
  /** The most characters of a cursor; default 200. */
  cursorLength?: number;
}

interface Row<S, K extends Kinds, I extends z.ZodType, O extends z.ZodType, R = z.output<O>> {
  /** Who may call: anyone, or these kinds of callers. */
  callers: K | readonly K[];
  /** What a partner asks for: its token must have that scope, and `why` explains it. Default: the row's name, if it is one of these. */
  permission?: PartnerOperation;
  /** The least role of an operator's key. Default: `all` for a mutation, else `read`. */
  role?: OperatorRole;
  input?: I;
  /** What it returns; absent: nothing. Of a listing, an entry. */
  output?: O;
  /** The points of its route; default 4 for a GET, else 20. */
  points?: number;
  /** Seconds that the response of its route may take longer than others. */
  patience?: number;
  run(services: S, call: Call<CallerOf<K>, z.output<I>>): Promise<R>;
  rest?: RestForm<z.output<I>, R>;
  graphql?: GraphqlForm<z.output<I>, R>;
}

/** What the audit log has of a mutation; `holder`: nothing, because holders call it, or log in by it; `none`: nothing, because it writes nothing. */
export type Audited = AuditOperation | readonly AuditOperation[] | 'holder' | 'none';

interface Named {
  kind: 'query' | 'mutation';
  /** The name of its field. */
  name: string;
  description: string;
  audit?: Audited;
  listing?: Listing;
}

/** An operation of any types, as lists hold them. */
// biome-ignore lint/suspicious/noExplicitAny: lists mix operations of different types; each is typed where it is made.
export type Operation = Named & Row<any, any, any, any, any>;

type Paged<R> = { nodes: readonly R[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };

/** The functions that make the operations of a domain. `S`: the services that they use. */
export function operationsOf<S>() {
  return {
    /** An operation that reads. */
    query: <K extends Kinds, I extends z.ZodObject, O extends z.ZodType>(
      name: string,
      description: string,
      row: Row<S, K, I, O>,
    ): Operation => ({ ...row, kind: 'query', name, description }),

    /** An operation that reads a list, a page at a time. */
    listing: <K extends Kinds, I extends z.ZodObject, O extends z.ZodType>(
      name: string,
      description: string,
      row: Omit<Row<S, K, I, O>, 'run' | 'rest' | 'graphql'> & {
        listing: Listing;
        run(services: S, call: Call<CallerOf<K>, z.output<I> & PageInput>): Promise<Paged<z.output<O>>>;
        rest?: RestForm<z.output<I> & PageInput, Paged<z.output<O>>>;
        graphql?: GraphqlForm<z.output<I>, Paged<z.output<O>>>;
      },
    ): Operation => ({ ...row, kind: 'query', name, description }),

    /** An operation that writes. */
    mutation: <K extends Kinds, I extends z.ZodObject, O extends z.ZodType>(
      name: string,
      description: string,
      row: Row<S, K, I, O> & { audit: Audited },
    ): Operation => ({ ...row, kind: 'mutation', name, description }),
  };
}

/** The kinds of callers that an operation is for; none of one for everybody. */
export const callersOf = ({ callers }: Pick<Operation, 'callers'>): readonly CredentialedKind[] =>
  [callers].flat().filter((kind: Kinds) => kind !== 'public');

/** What a partner asks for by an operation. */
export const permissionOf = ({ name, permission }: Operation): PartnerOperation | undefined =>
  permission ?? (Object.hasOwn(PARTNER_OPERATIONS, name) ? (name as PartnerOperation) : undefined);

/** The least role of an operator's key for an operation. */
export const roleOf = ({ kind, role }: Operation): OperatorRole => role ?? (kind === 'mutation' ? 'all' : 'read');
