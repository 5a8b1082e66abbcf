// Makes a schema of the catalog (id, title, data points) from a credential's published JSON Schema document (contract §2).
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { badInput } from '../../base/errors.js';
import { writeExactly, writeJson } from '../../base/json/exact-json.js';
import { isJsonObject, type JsonObject } from '../../base/json/json-object.js';
import { checkUnicode } from '../../base/json/unicode.js';
import { parsedUrl } from '../../common/parsed-url.js';
import type { DataPoint } from '../rows/models.js';
import { checkExpansion } from './budget.js';
import { withLocalReferences } from './local-references.js';
import { type Shape, shapeOf } from './merged.js';
import { checkLevels, own, type ResolveReference, resolverOf } from './references.js';

/** The schema that a document describes. */
export interface DocumentSchema {
  /** The document's `$id`, or `urn:sha256:<hash of its content>` without one. */
  schemaId: string;
  title: string;
  description: string;
  dataPoints: DataPoint[];
  /** The document as JSON text. */
  text: string;
  /** SHA-256 over its RFC 8785 form, hex: independent of spacing and the order of keys. */
  contentHash: string;
}

const MAX_POINTS = 1_000;
const MAX_NAME = 300;
const MAX_TITLE = 300;
const MAX_DESCRIPTION = 5_000;
/** Levels of objects inside objects. */
const MAX_DEPTH = 12;
const MAX_ID = 500;

/**
 * Reads a JSON Schema document (draft-07, 2019-09, 2020-12) of a credential, or of its subject alone. Its integers beyond 2^53 are BigInts.
 * @throws DomainError BAD_USER_INPUT with a reason for a person: not an object, a reference outside, no data points, too large.
 */
export function schemaFromDocument(document: unknown): DocumentSchema {
  if (!isJsonObject(document)) throw badInput('The document is not a JSON Schema: it must be a JSON object.');
  checkLevels(document);
  checkUnicode(document);
  checkDialect(document);
  const { root, dataPoints } = read(document);
  const contentHash = createHash('sha256')
    .update(writeExactly(document, (value) => canonicalize(value) ?? ''))
    .digest('hex');
  const schemaId = idOf(document) ?? `urn:sha256:${contentHash}`;
  return {
    schemaId,
    title: titleOf(document, root.shape, dataPoints).slice(0, MAX_TITLE),
    description: (root.shape.description ?? '').slice(0, MAX_DESCRIPTION),
    dataPoints,
    text: writeJson(document),
    contentHash,
  };
}

/** Some publishers name a schema of their own, which is read as 2020-12. Drafts before 6 have other keywords (`id`, `exclusiveMinimum: true`), which would be misread. */
function checkDialect(document: JsonObject): void {
  const dialect = own(document, '$schema');
  if (dialect === undefined) return;
  if (typeof dialect !== 'string') throw badInput("The document's $schema must be a text: the address of its dialect.");
  if (/draft-0[0-5]\b/.test(dialect) || !parsedUrl(dialect))
    throw badInput(
      `The document is of ${JSON.stringify(dialect.slice(0, 200))}; JSON Schema draft-07, 2019-09 and 2020-12 are read.`,
    );
}

function read(document: JsonObject): { root: Rooted; dataPoints: DataPoint[] } {
  const local = withLocalReferences(document);
  const resolve = resolverOf(local);
  checkExpansion(local, resolve);
  const root = shapeOf(resolve, local);
  return { root, dataPoints: pointsOf(resolve, subjectOf(resolve, root)) };
}

function idOf(document: JsonObject): string | undefined {
  const id = own(document, '$id');
  if (id === undefined || id === '') return undefined;
  if (typeof id !== 'string' || id.length > MAX_ID)
    throw badInput(`The document's $id must be a text of at most ${MAX_ID} characters.`);
  return id;
}

export type Rooted = ReturnType<typeof shapeOf>;

/** The subject: properties.credentialSubject (or one of several subjects), or the document itself if it describes the subject. */
export function subjectOf(resolve: ResolveReference, root: Rooted): Rooted & { isList: boolean } {
  const subject = root.shape.properties.get('credentialSubject');
  if (!subject) return { ...root, isList: false };
  const shaped = shapeOf(resolve, subject, root.seen);
  const single = shaped.shape.properties.size === 0 ? shaped.shape.allowed.items : undefined;
  return single ? { ...shapeOf(resolve, single, shaped.seen), isList: true } : { ...shaped, isList: false };
}

/** Fields of a credential itself. A document with only these describes no subject. */
const CREDENTIAL_FIELDS = new Set([
  '@context',
  'type',
  'issuer',
  'issuanceDate',
  'expirationDate',
  'validFrom',
  'validUntil',
  'credentialSchema',
  'credentialStatus',
  'proof',
  'evidence',
  'refreshService',
  'termsOfUse',
]);

function pointsOf(resolve: ResolveReference, subject: Rooted): DataPoint[] {
  const points: DataPoint[] = [];
  addPoints(resolve, subject, { prefix: '', required: true, depth: 0 }, points);
  if (points.length > 0 && !points.every(({ name }) => CREDENTIAL_FIELDS.has(name.split('.')[0] ?? ''))) return points;
  throw badInput(
    'The document has no data points: neither properties.credentialSubject nor the document itself describes any.',
  );
}

interface Nesting {
  prefix: string;
  /** Whether all parents are required. */
  required: boolean;
  depth: number;
}

function addPoints(resolve: ResolveReference, { shape, seen }: Rooted, place: Nesting, points: DataPoint[]): void {
  if (place.required) refuseUnknown(shape, place);
  for (const [key, property] of shape.properties) {
    // The subject's id is the holder's DID, set by the signer.
    if (place.depth === 0 && key === 'id') continue;
    refuseDot(key);
    const name = place.prefix + key;
    if (name.length > MAX_NAME)
      throw badInput(
        `The data point ${JSON.stringify(name.slice(0, 60))}… has a name longer than ${MAX_NAME} characters.`,
      );
    const below = shapeOf(resolve, property, seen);
    const required = place.required && shape.required.has(key);
    const { properties, allowed } = below.shape;
    if (properties.size > 0 && !allowed.types?.has('array') && place.depth < MAX_DEPTH) {
      // If the value may be something other than an object, no field in it is certain.
      const certain = required && [...(allowed.types ?? [])].every((type) => type === 'object');
      addPoints(resolve, below, { prefix: `${name}.`, required: certain, depth: place.depth + 1 }, points);
    } else points.push(pointOf(resolve, name, key, below, required));
    if (points.length > MAX_POINTS) throw badInput(`The document has more than ${MAX_POINTS} data points.`);
  }
}

/** A name with a dot means a field below another one: subjects could have either, and the document would describe only one. */
function refuseDot(key: string): void {
  if (!key.includes('.')) return;
  const name = JSON.stringify(key.slice(0, MAX_NAME));
  throw badInput(`The document has a property named ${name}; names must not have a dot.`);
}

/** A subject can have data points only, so a schema that requires another field can never be satisfied. */
function refuseUnknown({ properties, required }: Shape, { prefix, depth }: Nesting): void {
  if (properties.size === 0) return;
  const unknown = [...required].find((name) => !properties.has(name) && (depth > 0 || name !== 'id'));
  if (unknown === undefined) return;
  const name = JSON.stringify((prefix + unknown).slice(0, MAX_NAME));
  throw badInput(`The document requires ${name}, which it does not describe: no property has that name.`);
}

function pointOf(
  resolve: ResolveReference,
  name: string,
  key: string,
  { shape, seen }: Rooted,
  isRequired: boolean,
): DataPoint {
  return {
    name,
    title: (shape.title ?? key).slice(0, MAX_TITLE),
    type: typeOf(resolve, shape, seen),
    isRequired,
    description: (shape.description ?? '').slice(0, MAX_DESCRIPTION),
  };
}

/**
 * The data point's type: a name of JSON Schema; `date` or `date-time` for texts of that format; `<type>[]` for arrays; `any` for none, or for
 * several other than null.
 */
function typeOf(resolve: ResolveReference, shape: Shape, seen: ReadonlySet<string>): string {
  const { properties } = shape;
  const { items, format, types: allowed = [] } = shape.allowed;
  const stated = [...allowed].filter((name) => name !== 'null');
  const types = stated.includes('number') ? stated.filter((name) => name !== 'integer') : stated;
  const [type = items ? 'array' : properties.size > 0 ? 'object' : 'any', ...others] = types;
  if (others.length > 0) return 'any';
  if (type === 'string' && (format === 'date' || format === 'date-time')) return format;
  if (type !== 'array') return type;
  return items ? `${typeOf(resolve, shapeOf(resolve, items, seen).shape, seen)}[]` : 'array';
}

/** The document's title, or the best substitute. */
function titleOf(document: JsonObject, { title }: Shape, points: readonly DataPoint[]): string {
  const uris = own(own(document, '$metadata'), 'uris');
  const addresses = [own(document, '$id'), own(uris, 'jsonSchema'), own(uris, 'jsonLdContext')];
  const named = addresses.map(lastSegment).find((name) => name !== undefined);
  return (
    title ??
    named ??
    points
      .slice(0, 3)
      .map((point) => point.title)
      .join(', ')
  );
}

/** `https://example.org/schemas/proof-of-age.schema.json` -> `proof of age`. */
function lastSegment(address: unknown): string | undefined {
  if (typeof address !== 'string') return undefined;
  const segment = address
    .replace(/[#?].*$/, '')
    .split('/')
    .findLast((part) => part !== '');
  const words = segment
    ?.replace(/\.(schema|json-ld|jsonld|json)\b/g, '')
    .replace(/[-_\s]+/g, ' ')
    .trim();
  return words || undefined;
}
