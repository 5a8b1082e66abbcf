// Checks a subject against the stored JSON Schema document. Documents are untrusted: no remote references, an ajv instance of its own for
// each, and patterns by a linear-time engine, so that no document can hold up the process (design: "Portability").
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { RE2JS } from 're2js';
import { badInput, DomainError } from '../errors.js';

type Json = Record<string, unknown>;

/** Compiled documents kept, by schema version. */
const MAX_KEPT = 200;

/** A pattern in linear time; look-around and back-references do not exist there. */
function linearPattern(pattern: string): { test(text: string): boolean } {
  const compiled = RE2JS.compile(pattern);
  return { test: (text) => compiled.matcher(text).find() };
}
// ajv prints this name into code that is kept as a file; nothing is kept here.
linearPattern.code = 'linearPattern';

const OPTIONS: Options = {
  strict: false,
  allErrors: false,
  validateSchema: false,
  code: { regExp: linearPattern as never },
  logger: false,
};

const INSTANCES: readonly [RegExp, () => Ajv][] = [
  [/draft\/2020-12/, () => new Ajv2020(OPTIONS) as unknown as Ajv],
  [/draft\/2019-09/, () => new Ajv2019(OPTIONS) as unknown as Ajv],
  [/draft-0[467]/, () => new Ajv(OPTIONS)],
];

function instanceFor(dialect: unknown): Ajv {
  const found = INSTANCES.find(([pattern]) => typeof dialect === 'string' && pattern.test(dialect));
  const ajv = found ? found[1]() : (new Ajv2020(OPTIONS) as unknown as Ajv);
  (formats as unknown as (ajv: Ajv, options: { mode: 'fast' }) => void)(ajv, { mode: 'fast' });
  return ajv;
}

/** Compiles and remembers checks, one for each schema version. */
export class DocumentChecks {
  readonly #kept = new Map<string, ValidateFunction>();

  /** @throws DomainError BAD_USER_INPUT naming the field that does not fit; CONFLICT for a document that cannot be used for checks. */
  check(versionId: string, document: string, subject: Json): void {
    const validate = this.#kept.get(versionId) ?? this.#compile(versionId, document);
    if (validate(subject)) return;
    const { instancePath = '', message = 'does not fit' } = validate.errors?.[0] ?? {};
    const field = `credentialSubject${instancePath.replaceAll('/', '.')}`;
    throw badInput(`"${field}" ${message}, says the schema's document.`, field);
  }

  #compile(versionId: string, text: string): ValidateFunction {
    const document = JSON.parse(text) as Json;
    const validate = compileSubject(document);
    if (this.#kept.size >= MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value ?? '');
    this.#kept.set(versionId, validate);
    return validate;
  }
}

function compileSubject({ $schema, ...document }: Json): ValidateFunction {
  const properties = document.properties as Json | undefined;
  const describesSubject = properties?.credentialSubject === undefined;
  try {
    const ajv = instanceFor($schema);
    if (describesSubject) return ajv.compile(document);
    const id =
      typeof document.$id === 'string' && URL.canParse(document.$id)
        ? document.$id.replace(/#.*$/, '')
        : 'urn:document';
    ajv.addSchema({ ...document, $id: id });
    return ajv.compile({ $ref: `${id}#/properties/credentialSubject` });
  } catch (cause) {
    throw new DomainError(
      'CONFLICT',
      "The schema's document cannot be used to check a subject; ask its publisher for one without remote references and look-around patterns.",
      {},
      { cause },
    );
  }
}
