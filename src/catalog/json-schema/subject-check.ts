// Compiles a JSON Schema document into a check of subjects. Documents are untrusted: there are no remote references, each document has its own
// ajv instance, and patterns run in linear time. It runs in the check worker, which is terminated when a check takes too long.
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { badInput, DomainError } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json/json-object.js';
import { checkExpansion } from './budget.js';
import { fieldSchemas, subjectParts } from './certain-parts.js';
import { addFormats } from './formats.js';
import { invalidKeywordValue } from './keyword-values.js';
import { impossibleNames } from './impossible-names.js';
import { shapeOf } from './merged.js';
import { type LinearPattern, linearPattern } from './linear-pattern.js';
import { withLocalReferences } from './local-references.js';
import { type Misfit, misfitOf } from './misfit.js';
import { MULTIPLE_OF } from './multiple-of.js';
import { checkLevels, own, type ResolveReference, resolverOf } from './references.js';
import { type Rooted, subjectOf } from './schema-document.js';
import { partBeyondAjv } from './ajv-limits.js';

/** Checks one subject, which has the holder's DID as `id`. */
export type SubjectCheck = (subject: JsonObject) => Misfit | undefined;

/** Instructions of all compiled patterns of one document. */
const MAX_PATTERN_SIZE = 20_000;
/** The document's own address while it is checked: its references are local, so nothing asks for the real one. */
const BASE = 'https://document.invalid/';
/** The key in the document under which the subject's schema is added. */
const PLACE = 'credential subject';

/**
 * Compiles a document. Given the DID of a holder, it also refuses a document under which nothing could be issued.
 * @throws DomainError BAD_USER_INPUT for one that cannot be used; ajv's own errors for what the dialect allows and ajv
 * does not support.
 */
export function compileSubject(document: JsonObject, did?: string): SubjectCheck {
  checkLevels(document);
  const { $schema, ...local } = withLocalReferences(document);
  const resolve = resolverOf(local);
  checkExpansion(local, resolve);
  if (did !== undefined) refusePart(invalidKeywordValue(local, resolve));
  const root = shapeOf(resolve, local);
  const subject = subjectOf(resolve, root);
  const schema = subjectSchema(local, root, resolve);
  const whole = { ...local, $id: BASE, [PLACE]: schema };
  const validate = compiled($schema, local, resolve, whole);
  const { properties, required } = subject.shape;
  const knowsId = properties.has('id') || required.has('id');
  if (did !== undefined) {
    const parts = subjectParts(schema, resolve, subject.isList);
    const compile = (of: unknown) => compiled($schema, local, resolve, { ...whole, [PLACE]: of });
    refuseIds(compile({ allOf: [true, ...fieldSchemas(parts, 'id')] }), did);
    const dialect = { resolve, hasUnevaluated: !OLD_DIALECT.test(String($schema)), compile };
    const reason = impossibleNames(
      parts,
      [...properties.keys()].filter((name) => name !== 'id'),
      knowsId,
      dialect,
    );
    if (reason !== undefined) throw badInput(reason);
  }
  return ({ id, ...rest }) => {
    // A document that does not mention `id` may forbid unknown fields, but the holder's DID is always added.
    const checked = knowsId ? { id, ...rest } : rest;
    if (validate(subject.isList ? [checked] : checked) === true) return undefined;
    const { path, message } = misfitOf(validate.errors ?? []);
    return { path: subject.isList ? path.replace(/^\[0\]\.?/, '') : path, message };
  };
}

function refuseIds(fits: ValidateFunction, did: string): void {
  if (!fits(did))
    throw badInput(`The document refuses every holder's DID: "id" ${misfitOf(fits.errors ?? []).message}.`);
}

/** Published documents are often not quite what their dialect says: only one that does not compile is compared with it. */
function compiled(
  dialect: unknown,
  document: JsonObject,
  resolve: ResolveReference,
  whole: JsonObject,
): ValidateFunction {
  try {
    // Without the dialects' own schemas: a document refers to nothing outside itself.
    const ajv = instanceFor(dialect, { meta: false });
    ajv.addSchema(whole);
    return ajv.compile({ $ref: `${BASE}#/${encodeURIComponent(PLACE)}` });
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const ajv = instanceFor(dialect, { meta: true });
    if (ajv.validateSchema(document) === false)
      throw badInput(`The document is not JSON Schema: ${saying(misfitOf(ajv.errors ?? []))}.`);
    refusePart(partBeyondAjv(document, resolve));
    throw error;
  }
}

function refusePart(part: Misfit | undefined): void {
  if (part) throw badInput(`The document cannot be used to check a subject: ${saying(part)}.`);
}

const saying = ({ path, message }: Misfit): string => `${path === '' ? 'it' : `"${path}"`} ${message}`;

/** The document's constraints on its subject, as one schema. */
function subjectSchema(document: JsonObject, { shape }: Rooted, resolve: ResolveReference): unknown {
  if (!shape.properties.has('credentialSubject')) return { $ref: '#' };
  return saidOfSubject(document, resolve, new Set()) ?? {};
}

/**
 * The same for a part of the document; undefined if it does not constrain the subject. `above` are the references that
 * led here.
 */
function saidOfSubject(part: JsonObject, resolve: ResolveReference, above: ReadonlySet<string>): unknown {
  const schemas: unknown[] = [own(own(part, 'properties'), 'credentialSubject')];
  const reference = own(part, '$ref');
  if (typeof reference === 'string' && !above.has(reference))
    schemas.push(saidOfSubject(resolve(reference), resolve, new Set([...above, reference])));
  for (const branch of branchesOf(part, 'allOf')) schemas.push(saidOfSubject(branch, resolve, above));
  for (const keyword of ['anyOf', 'oneOf']) {
    const alternatives = branchesOf(part, keyword).map((branch) => saidOfSubject(branch, resolve, above));
    // An alternative that does not constrain the subject allows it everything.
    if (alternatives.length > 0 && !alternatives.includes(undefined)) schemas.push({ anyOf: alternatives });
  }
  if (asksOfSubject(own(part, 'if'))) {
    const said = (key: string): unknown => {
      const branch = own(part, key);
      return (isJsonObject(branch) ? saidOfSubject(branch, resolve, above) : undefined) ?? {};
    };
    schemas.push(Object.fromEntries(['if', 'then', 'else'].map((key) => [key, said(key)])));
  }
  const stated = schemas.filter((schema) => schema !== undefined);
  return stated.length > 1 ? { allOf: stated } : stated[0];
}

/**
 * Whether a condition on the credential is one on its subject alone. Constraints under other conditions, such as one on
 * its type, are not checked.
 */
function asksOfSubject(condition: unknown): boolean {
  if (!isJsonObject(condition) || !isJsonObject(own(condition, 'properties'))) return false;
  const fields = [own(condition, 'required') ?? [], Object.keys(own(condition, 'properties') ?? {})].flat();
  const isKnown = (keyword: string) => ['properties', 'required', 'type', '$comment', 'title'].includes(keyword);
  return Object.keys(condition).every(isKnown) && fields.every((field) => field === 'credentialSubject');
}

function branchesOf(part: JsonObject, keyword: string): JsonObject[] {
  const branches = own(part, keyword);
  return Array.isArray(branches) ? branches.filter(isJsonObject) : [];
}

const OLD_DIALECT = /draft-0[67]/;
const DIALECTS: readonly [RegExp, (options: Options) => Ajv][] = [
  [/draft\/2019-09/, (options) => new Ajv2019(options) as unknown as Ajv],
  [OLD_DIALECT, (options) => new Ajv(options)],
];

function instanceFor(dialect: unknown, { meta }: Pick<Options, 'meta'>): Ajv {
  const options: Options = {
    meta,
    strict: false,
    allErrors: false,
    // Otherwise a data point named `constructor` would count as present in every subject.
    ownProperties: true,
    validateSchema: false,
    code: { regExp: linearPatterns() },
    logger: false,
  };
  const match = DIALECTS.find(([pattern]) => typeof dialect === 'string' && pattern.test(dialect));
  const ajv = match ? match[1](options) : (new Ajv2020(options) as unknown as Ajv);
  ajv.removeKeyword('multipleOf').addKeyword(MULTIPLE_OF);
  addFormats(ajv);
  return ajv;
}

/** Patterns for one document. */
function linearPatterns() {
  const patterns = new Map<string, LinearPattern>();
  let size = 0;
  const compile = (pattern: string) => {
    const compiled = patterns.get(pattern) ?? linearPattern(pattern);
    if (!patterns.has(pattern)) size += compiled.size;
    if (size > MAX_PATTERN_SIZE) throw badInput('The patterns of the document are too large.');
    patterns.set(pattern, compiled);
    // ajv distinguishes patterns by this text: equal texts share one compiled form.
    return { test: compiled.test, toString: () => pattern };
  };
  // ajv writes this name into code that it saves to a file; here, none is saved.
  compile.code = 'linearPattern';
  return compile;
}
