// A credential's JSON Schema document as it is in the wild -> a schema of the catalog: its id, title and data points (contract §2).
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { badInput } from '../../errors.js';
import type { DataPoint } from '../models.js';
import { type Shape, shapeOf } from './merged.js';
import { checkLevels, isNode, type Node, own } from './references.js';

/** What a document tells of its schema. */
export interface DocumentSchema {
  /** The document's `$id`, else `urn:sha256:<hash of its content>`. */
  schemaId: string;
  title: string;
  description: string;
  dataPoints: DataPoint[];
  /** The document as JSON text. */
  text: string;
  /** SHA-256 over its RFC 8785 form, hex: the same content whatever the spacing and order of keys. */
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
 * Reads a JSON Schema document (draft-07, 2019-09, 2020-12) of a credential, or of its subject alone.
 * @throws DomainError BAD_USER_INPUT with a reason for a person: not an object, a reference outside, no data points, too large.
 */
export function schemaFromDocument(document: unknown): DocumentSchema {
  if (!isNode(document)) throw badInput('The document is not a JSON Schema: it must be a JSON object.');
  checkLevels(document);
  const root = shapeOf(document, document);
  const dataPoints = pointsOf(document, subjectOf(document, root));
  const contentHash = createHash('sha256')
    .update(canonicalize(document) ?? '')
    .digest('hex');
  const schemaId = idOf(document) ?? `urn:sha256:${contentHash}`;
  return {
    schemaId,
    title: titleOf(document, root.shape, dataPoints).slice(0, MAX_TITLE),
    description: (root.shape.description ?? '').slice(0, MAX_DESCRIPTION),
    dataPoints,
    text: JSON.stringify(document),
    contentHash,
  };
}

function idOf(document: Node): string | undefined {
  const id = own(document, '$id');
  if (id === undefined || id === '') return undefined;
  if (typeof id !== 'string' || id.length > MAX_ID)
    throw badInput(`The document's $id must be a text of at most ${MAX_ID} characters.`);
  return id;
}

type Rooted = ReturnType<typeof shapeOf>;

/** The subject: properties.credentialSubject (or one of several subjects), or the document where it describes the subject directly. */
function subjectOf(document: Node, root: Rooted): Rooted {
  const subject = root.shape.properties.get('credentialSubject');
  if (!subject) return root;
  const shaped = shapeOf(document, subject, root.seen);
  const single = shaped.shape.properties.size === 0 && shaped.shape.items;
  return single ? shapeOf(document, single, shaped.seen) : shaped;
}

/** Fields of a credential itself: where only these are there, nothing is said of a subject. */
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

function pointsOf(document: Node, subject: Rooted): DataPoint[] {
  const points: DataPoint[] = [];
  addPoints(document, subject, { prefix: '', required: true, depth: 0 }, points);
  if (points.length > 0 && !points.every(({ name }) => CREDENTIAL_FIELDS.has(name.split('.')[0] ?? ''))) return points;
  throw badInput(
    'The document has no data points: neither properties.credentialSubject nor the document itself describes any.',
  );
}

interface Place {
  prefix: string;
  /** Whether everything above is required. */
  required: boolean;
  depth: number;
}

function addPoints(document: Node, { shape, seen }: Rooted, place: Place, points: DataPoint[]): void {
  for (const [key, property] of shape.properties) {
    // The subject's id is the holder's DID, set by the signer.
    if (place.depth === 0 && key === 'id') continue;
    const name = place.prefix + key;
    if (name.length > MAX_NAME)
      throw badInput(
        `The data point ${JSON.stringify(name.slice(0, 60))}… has a name longer than ${MAX_NAME} characters.`,
      );
    const below = shapeOf(document, property, seen);
    const required = place.required && shape.required.has(key);
    const nested = below.shape.properties.size > 0 && !below.shape.types.includes('array');
    if (nested && place.depth < MAX_DEPTH)
      addPoints(document, below, { prefix: `${name}.`, required, depth: place.depth + 1 }, points);
    else points.push(pointOf(document, name, key, below, required));
    if (points.length > MAX_POINTS) throw badInput(`The document has more than ${MAX_POINTS} data points.`);
  }
}

function pointOf(document: Node, name: string, key: string, { shape, seen }: Rooted, isRequired: boolean): DataPoint {
  return {
    name,
    title: (shape.title ?? key).slice(0, MAX_TITLE),
    type: typeOf(document, shape, seen),
    isRequired,
    description: (shape.description ?? '').slice(0, MAX_DESCRIPTION),
  };
}

/** The point's type label: JSON Schema's own names; `date` and `date-time` for texts of that format; `<type>[]` for arrays. */
function typeOf(document: Node, shape: Shape, seen: ReadonlySet<string>): string {
  const [type = shape.items ? 'array' : shape.properties.size > 0 ? 'object' : 'any'] = shape.types.filter(
    (name) => name !== 'null',
  );
  if (type === 'string' && (shape.format === 'date' || shape.format === 'date-time')) return shape.format;
  if (type !== 'array') return type;
  return shape.items ? `${typeOf(document, shapeOf(document, shape.items, seen).shape, seen)}[]` : 'array';
}

/** The document's title, or the best that it says instead. */
function titleOf(document: Node, { title }: Shape, points: readonly DataPoint[]): string {
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
