// The OpenAPI 3.1 document of all routes, made from their rows.
import type { AnyRoute } from '../routes/route.js';
import { Components } from './components.js';
import { operationOf, pathOf, type RouteExamples, sharedRefusals, tagOf } from './operation.js';

/** Real responses, by `GET /v1/…` as rows name it; refusals under `refusals`. */
export type Examples = Readonly<Record<string, RouteExamples>>;

/** The version of the interface, which is not that of the package. */
const VERSION = '1.0.0';

/** Groups of routes, in the order of the document. */
const TAGS: Readonly<Record<string, string>> = {
  catalog: 'The public catalog: a pilot that may change. It is closed in production unless the operator opens it.',
  credentials: 'Issuance, status and revocation.',
  dstorage: 'Packages that partners store.',
  revocations: 'Revocation of many credentials by a filter, after a preview.',
  verifications: 'The verification flow.',
  programs: 'What programs ask for, and whether a holder can meet them.',
  conditions: 'Comparing and converting conditions.',
  schemas: 'Versions of schemas.',
  issuers: 'Keys and DID documents of issuers.',
  events: 'Events, in pages or as a stream.',
  offers: 'Credentials offered to wallets of others, which partners make.',
  webhooks: "A partner's endpoints for events, and their deliveries.",
  why: 'Which rules allow or forbid an operation of a partner.',
  client: 'What client programs need to know before anyone logs in.',
  auth: 'Recipients for partners, and login for holders.',
  holders: "A holder's own details, keys and credentials.",
  'core-ids': 'Core ids.',
  dids: 'DID documents of holders.',
  chain: 'The chain that credentials are anchored on, transactions, and JSON-RPC for wallets.',
  'well-known': "The gateway's keys.",
  admin: "The operator's API.",
  sandbox: 'Routes that only the sandbox has.',
  health: 'Whether the gateway runs, and whether its store responds.',
  metrics: 'Measurements for Prometheus.',
  'openapi.json': 'This document.',
};

const SECURITY_SCHEMES = {
  partnerToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-partner-auth',
    description: 'A JWT that the partner signs with a key of its set, with `partnerId`, `scope` and `exp`.',
  },
  pageToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of POST /v1/auth/token.' },
  holderSession: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The token of a session.' },
  operatorKey: { type: 'apiKey', in: 'header', name: 'x-admin-api-key', description: "The operator's key." },
};

const header = (description: string, schema: object = { type: 'string' }) => ({ description, schema });

const HEADERS = {
  'x-request-id': header('Id of the request, in logs and errors.'),
  etag: header('For if-none-match and if-match.'),
  'retry-after': header('Seconds until the next attempt.', { type: 'integer', minimum: 0 }),
  ratelimit: header('Points that the caller has left (draft-ietf-httpapi-ratelimit-headers-10).'),
  'ratelimit-policy': header('Points that the caller may save up, and in how many seconds.'),
};

/** The document of these rows, as a JSON value. */
export function openApiDocument(routes: readonly AnyRoute[], examples: Examples = {}): object {
  const components = new Components();
  const responses = sharedRefusals(routes, components, examples.refusals);
  const paths: Record<string, Record<string, object>> = {};
  for (const row of routes) {
    const operation = operationOf(row, components, examples[`${row.method} ${row.path}`]);
    paths[pathOf(row)] = { ...paths[pathOf(row)], [row.method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Credential gateway',
      version: VERSION,
      summary: 'Catalog, issuance, verification and events of a credential network.',
      description:
        'Every failure has the same body, `{error, message}`, or problem details (RFC 9457) for clients that prefer them. Responses may get further members in later versions. Catalog routes are a pilot that may change.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This gateway.' }],
    tags: tagsOf(routes),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, headers: HEADERS, responses, schemas: components.schemas },
  };
}

/** The groups that these rows have. */
function tagsOf(routes: readonly AnyRoute[]): object[] {
  const names = new Set(routes.map(tagOf));
  for (const name of names)
    if (TAGS[name] === undefined) throw new Error(`the group ${name} needs a description in openapi/document.ts`);
  return Object.entries(TAGS).flatMap(([name, description]) => (names.has(name) ? [{ name, description }] : []));
}
