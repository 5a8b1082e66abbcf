// Request bodies, read once: JSON as a value and its text, NDJSON as a stream.
import type { FastifyInstance } from 'fastify';
import { badInput, DomainError, toDomainError } from '../base/errors.js';
import { isTextDeeperThan, MAX_LEVELS } from '../base/nesting.js';
import { checkUnicode, hasSurrogateEscape, utf8TextOf } from '../base/unicode.js';
import { chargeBody } from './charges.js';

export const JSON_TYPE = 'application/json';
export const NDJSON_TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];

/** JSON and NDJSON only. An empty JSON body counts as none: many clients send the type with every request. */
export function readBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(JSON_TYPE, { parseAs: 'buffer' }, (request, bytes, done) => {
    chargeBody(request, bytes);
    if (!isSaidUtf8(request.headers['content-type'])) return done(notUtf8());
    const body = utf8TextOf(bytes);
    if (body === undefined) return done(badInput('The body is not text in UTF-8.'));
    request.facts.bodyText = body;
    if (body === '') return done(null, undefined);
    const cached = request.routeOptions.config.bodies?.bodyOf(body);
    if (cached === undefined && isTextDeeperThan(body, MAX_LEVELS)) return done(tooDeep());
    const value = cached ?? parsePlain(body);
    if (value !== undefined) return done(null, value);
    parseJson(request, body, (error, read) => done(error ? jsonFault(body) : unicodeFault(body, read), read));
  });
  app.addContentTypeParser(NDJSON_TYPES, (_request, payload, done) => done(null, payload));
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;

/** Whether a content-type names no charset, or UTF-8: JSON has no other (RFC 8259 §8.1). */
const isSaidUtf8 = (type = ''): boolean => /^utf-?8$/i.test(CHARSET.exec(type)?.[1] ?? 'utf-8');

const notUtf8 = (): Error =>
  new DomainError('UNSUPPORTED_MEDIA_TYPE', 'Bodies are read as UTF-8; the content-type names another charset.');

const tooDeep = (): Error => badInput(`The body is nested more than ${MAX_LEVELS} levels deep.`);

/** Why a body was not read: it is no JSON, or has a name that changes what objects are. */
function jsonFault(text: string): Error {
  try {
    JSON.parse(text);
    return badInput('The body names __proto__ or constructor.prototype, which is refused.');
  } catch {
    return badInput('The body is not valid JSON.');
  }
}

/** Why a text in the body is not Unicode; null when all are. */
function unicodeFault(text: string, value: unknown): Error | null {
  if (!hasSurrogateEscape(text)) return null;
  try {
    checkUnicode(value);
    return null;
  } catch (error) {
    return toDomainError(error);
  }
}

/** Every spelling of a key that no object should get contains one of these. */
const SUSPECT = ['__proto__', 'constructor', '\\u'];

/** The value of a JSON text without suspect keys; undefined for all others, which the careful parser reads at several times the cost. */
function parsePlain(text: string): unknown {
  if (SUSPECT.some((spelling) => text.includes(spelling))) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
