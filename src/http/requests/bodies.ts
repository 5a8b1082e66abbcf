// Request bodies, read once: JSON as a value and its text, NDJSON as a stream.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badInput, DomainError, toDomainError } from '../../base/errors.js';
import { exactNumbers } from '../../base/json/exact-json.js';
import { isTextDeeperThan, MAX_LEVELS } from '../../base/json/nesting.js';
import { checkUnicode, hasSurrogateEscape, utf8TextOf, withoutBom } from '../../base/json/unicode.js';
import { mayNamePrototype, NAMES_PROTOTYPE } from '../../common/prototype-names.js';
import { chargeBody } from '../callers/charges.js';

export const JSON_TYPE = 'application/json';
export const NDJSON_TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];

/** JSON and NDJSON only. An empty JSON body counts as none: many clients send the type with every request. */
export function readBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  /** @throws DomainError. */
  const parseCarefully = (request: FastifyRequest, text: string): unknown => {
    let value: unknown;
    parseJson(request, text, (error, read) => {
      // The parser would also accept a second byte order mark.
      if (error || text !== withoutBom(text)) throw jsonFault(text);
      value = read;
    });
    if (hasSurrogateEscape(text)) checkUnicode(value);
    return value;
  };
  const read = (request: FastifyRequest, bytes: Buffer): unknown => {
    const text = textOf(request, bytes);
    request.facts.bodyText = text;
    if (text === '') return undefined;
    const { bodies, exactMember } = request.facts.route;
    const cached = bodies?.bodyOf(text, request);
    if (cached !== undefined) return cached;
    if (isTextDeeperThan(text, MAX_LEVELS)) throw tooDeep();
    const value = parsePlain(text) ?? parseCarefully(request, text);
    return exactNumbers(text, value, { keeps: ([member]) => member !== undefined && member === exactMember });
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(JSON_TYPE, { parseAs: 'buffer' }, (request, bytes, done) => {
    chargeBody(request, bytes);
    if (isEncoded(request)) return done(encoded());
    let value: unknown;
    try {
      value = read(request, bytes);
    } catch (error) {
      return done(toDomainError(error));
    }
    done(null, value);
  });
  app.addContentTypeParser(NDJSON_TYPES, (request, payload, done) =>
    isEncoded(request) ? done(encoded()) : done(null, payload),
  );
}

/** The body as text, without a byte order mark. @throws DomainError for other encodings. */
function textOf({ headers }: FastifyRequest, bytes: Buffer): string {
  if (!isSaidUtf8(headers['content-type'])) throw notUtf8();
  const text = utf8TextOf(bytes);
  if (text === undefined) throw badInput('The body is not text in UTF-8.');
  return withoutBom(text);
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;

/** Whether a content-type has no charset, or UTF-8. JSON has no other encoding (RFC 8259 §8.1). */
const isSaidUtf8 = (type = ''): boolean => /^utf-?8$/i.test(CHARSET.exec(type)?.[1] ?? 'utf-8');

const notUtf8 = (): Error =>
  new DomainError('UNSUPPORTED_MEDIA_TYPE', 'Bodies are read as UTF-8; the content-type names another charset.');

/** Whether a body is compressed, or encoded otherwise (RFC 9110 §8.4). */
const isEncoded = ({ headers }: FastifyRequest): boolean =>
  !/^\s*(?:identity\s*)?$/i.test(headers['content-encoding'] ?? '');

const encoded = (): Error =>
  new DomainError('UNSUPPORTED_MEDIA_TYPE', 'Bodies are read as they are: send this one without content-encoding.');

const tooDeep = (): Error => badInput(`The body is nested more than ${MAX_LEVELS} levels deep.`);

/** Why a body was refused: it is not JSON, or has a key that would change an object's prototype. */
function jsonFault(text: string): Error {
  try {
    JSON.parse(text);
    return badInput(`The body ${NAMES_PROTOTYPE}.`);
  } catch {
    return badInput('The body is not valid JSON.');
  }
}

/** The value of a JSON text without suspect keys; undefined for all others, which the careful parser reads at several times the cost. */
function parsePlain(text: string): unknown {
  if (mayNamePrototype(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
