// Operations that GraphQL and REST have in common. One row has an operation's callers, input, output, points and
// function. The field of GraphQL (graphql/shapes/operation-resolver.ts) and the route of REST (operation-routes.ts)
// derive from it.
import type { z } from 'zod';
import type { Caller, CredentialedKind, OperatorRole } from '../../base/callers/caller.js';
import { PARTNER_OPERATIONS, type PartnerOperation } from '../../base/callers/partner-operations.js';
import type { AuditOperation } from '../../store/audit-operations.js';
import type { HeaderName, Route, RouteAnswer, RouteInput } from './route.js';

type Kinds = CredentialedKind | 'public';
type CallerOf<K extends Kinds> = K extends CredentialedKind ? Extract<Caller, { kind: K }> : Caller;

/** A call that its caller may make, with checked input. */
export interface Call<C, I> {
  caller: C;
  input: I;
  /** The client's IP address, for limits; undefined if it is unknown. */
  address: string | undefined;
}

/** The requested page of a listing. */
export interface PageInput {
  limit: number;
  after?: string | undefined;
}

/** The route of an operation. Members of the input come from its path and header fields, the rest from the query of a GET or DELETE, else the body. */
export interface RestForm<I, O>
  extends Pick<Route, 'method' | 'path' | 'summary' | 'fails' | 'bodyLimit' | 'exactMember'>,
    Partial<Pick<Route, 'answers'>> {
  /** Members of the input by the path parameter that sets them, if their names differ: `{ id: 'webhookId' }`. */
  members?: Readonly<Record<string, keyof I & string>>;
  /** Members of the input by the header field that sets them: `{ 'if-match': 'ifMatch' }`. */
  headers?: { readonly [H in HeaderName]?: keyof I & string };
  /** For a request that is not of the input's form: its schemas, and the function that converts it to the input. */
  request?: Pick<Route, 'params' | 'query' | 'body' | 'bodyAs'> & {
    input(request: RouteInput<Readonly<Record<string, string>>, Readonly<Record<string, unknown>>, unknown>): I;
  };
  /** Default: 200, or 204 without output. */
  status?: number;
  /** Makes the response if it is not just the output with the status; `answers` describes it. */
  respond?(output: O, input: I): RouteAnswer;
}

/** The field of an operation in GraphQL. */
export interface GraphqlForm<I, O> {
  /**
   * The description of the argument `input`. A mutation always has this argument. A query has it if this is set, and
   * otherwise one argument for each member.
   */
  argument?: string;
  /** The field's return value, if it is not the output. */
  payload?: z.ZodType;
  /** Makes the payload from the output. */
  show?(output: O, input: I): unknown;
  /** Facts about the field that limits and execution use (documents/cost.ts). */
  extensions?: Readonly<Record<string, unknown>>;
}

/** A list by cursor, newest first: a connection in GraphQL, `{items, hasMore, nextCursor}` in REST. */
export interface Listing {
  /** What its entries are called in descriptions, in the plural. */
  what: string;
  /** The most entries of a page, and the number of entries if the client does not say. */
  most: number;
  size: number;
  /** The most characters of a cursor; default 200. */
  cursorLength?: number;
}

interface Row<S, K extends Kinds, I extends z.ZodType, O extends z.ZodType, R = z.output<O>> {
  /** Who may call: anyone, or these kinds of callers. */
  callers: K | readonly K[];
  /**
   * The partner operation that it is: a partner's token must have its scope, and `why` explains it. Default: the row's
   * name, if it is a partner operation.
   */
  permission?: PartnerOperation;
  /** The least role of an operator's key. Default: `all` for a mutation, else `read`. */
  role?: OperatorRole;
  input?: I;
  /** What it returns; absent: nothing. For a listing, the schema of an entry. */
  output?: O;
  /** The points of its route; default 4 for a GET, else 20. */
  points?: number;
  /** How many seconds longer than other routes its response may take. */
  patience?: number;
  run(services: S, call: Call<CallerOf<K>, z.output<I>>): Promise<R>;
  rest?: RestForm<z.output<I>, R>;
  graphql?: GraphqlForm<z.output<I>, R>;
}

/**
 * The audit operation that a mutation's entries have. `holder`: no entries, because holders call it or log in with it;
 * `none`: no entries, because it writes nothing.
 */
export type Audited = AuditOperation | readonly AuditOperation[] | 'holder' | 'none';

interface Named {
  kind: 'query' | 'mutation';
  /** The name of its field. */
  name: string;
  description: string;
  audit?: Audited;
  listing?: Listing;
}

/** An operation of any types, for lists. */
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

/** The kinds of callers that may call an operation; empty if anyone may. */
export const callersOf = ({ callers }: Pick<Operation, 'callers'>): readonly CredentialedKind[] =>
  [callers].flat().filter((kind: Kinds) => kind !== 'public');

/** The partner operation that an operation is. */
export const permissionOf = ({ name, permission }: Operation): PartnerOperation | undefined =>
  permission ?? (Object.hasOwn(PARTNER_OPERATIONS, name) ? (name as PartnerOperation) : undefined);

/** The least role that an operator's key needs for an operation. */
export const roleOf = ({ kind, role }: Operation): OperatorRole => role ?? (kind === 'mutation' ? 'all' : 'read');
