// Messages for errors of graphql-js. Its own messages name no field, and repeat values: variables and literals contain
// subjects, session tokens, login codes and keys, which must not be in a response or a log. Names of types and fields,
// and positions, are kept.
import { type GraphQLError, Kind } from 'graphql';
import { NAMES_PROTOTYPE } from '../common/prototype-names.js';

/**
 * Patterns of graphql-js's messages about values, and the rest of our sentence for each, in REST's words
 * (base/input.ts).
 */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Int cannot represent non 32-bit /, 'must be a whole number from -2147483648 to 2147483647'],
  [/^Int cannot represent /, 'must be a whole number'],
  [/^Float cannot represent /, 'must be a number'],
  [/^(?:String|ID) cannot represent /, 'must be a string'],
  [/^Boolean cannot represent /, 'must be true or false'],
  [/^DateTime expects (.*)\.$/, 'must be a date-time in $1'],
  [/^Enum "(\w+)" cannot represent |^Value .* does not exist in "(\w+)" enum\./s, 'must be a value of the enum $1$2'],
  [
    /^Expected value of type "[^"]+", found null\.|^Expected non-nullable type |must not be null\.$/,
    'must not be null',
  ],
  [/^Expected value of type "|^Expected type "[^"]+" to be an object\.$/, 'must be an object'],
  [new RegExp(`^The value (${NAMES_PROTOTYPE})\\.$`), '$1'],
  [/^Field "(?:\w+\.)?(?<member>\w+)" of required type "[^"]+" was not provided\.$/, 'is missing'],
  [/argument "(?<member>\w+)" of type "[^"]+" is required, but it was not provided\.$/i, 'is missing'],
  [/^Argument "(?<member>\w+)" of required type "[^"]+" was not provided\.$/, 'is missing'],
  [/^Variable "\$\w+" of required type "[^"]+" was not provided\.$/, 'is missing'],
  [/^Field "(?<member>[^"]{1,100})" is not defined by type /, 'is not a field that is known here'],
  [/^Unknown argument "(?<member>\w+)" /, 'is not an argument that is known here'],
];

const MISFIT = 'does not fit its type';

export interface Refusal {
  message: string;
  field?: string;
}

/**
 * The part of an error that clients and the log may see, with the field that the error is about: an argument, or a part
 * of its value.
 */
export function refusalOf(error: GraphQLError): Refusal {
  const { message, nodes, extensions } = error;
  if (nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION) return variableRefusal(error, nodes[0].variable.name.value);
  const [, argument] = /^Argument "(\w+)" (?:of non-null type|has invalid value) /.exec(message) ?? [];
  const place = argument ?? String(extensions.field ?? '');
  const refusal = sentenceOf(place, message) ?? (argument ? misfit(argument) : undefined);
  return refusal ?? { message: withoutLiteral(message) };
}

/**
 * The refusal of a variable's value. graphql-js's message repeats the value, then has the position in it and the
 * reason.
 */
function variableRefusal({ message, originalError }: GraphQLError, name: string): Refusal {
  const variable = `variables.${name}`;
  if (!message.includes(' got invalid value ')) return sentenceOf(variable, message) ?? { message };
  const reason = originalError?.message ?? '';
  const [, place = name] = / at "([\w.[\]]*)"$/.exec(message.slice(0, -`; ${reason}`.length)) ?? [];
  return sentenceOf(`variables.${place}`, reason) ?? misfit(`variables.${place}`);
}

function sentenceOf(place: string, reason: string): Refusal | undefined {
  for (const [pattern, words] of WORDS) {
    const match = pattern.exec(reason);
    if (!match) continue;
    const member = match.groups?.member;
    const field = [place, member].filter(Boolean).join('.').slice(0, MAX_FIELD);
    const rest = words.replace(/\$(\d)/g, (_, group) => match[Number(group)] ?? '');
    // The position is unknown. The message still must not be repeated, because it contains the value.
    if (field === '') return { message: `A value ${rest}.` };
    return { message: `"${field}" ${rest}${member === undefined ? '.' : suggested(reason)}`, field };
  }
  return undefined;
}

/** Longest field in a message. */
const MAX_FIELD = 200;

/** The end of a sentence about an unknown name, with the similar names that graphql-js suggests. */
function suggested(reason: string): string {
  const [, names] = / Did you mean (.*)\?$/.exec(reason) ?? [];
  return names === undefined ? '.' : `; did you mean ${names}?`;
}

const misfit = (field: string): Refusal => ({ message: `"${field}" ${MISFIT}.`, field });

/** A syntax error's message up to the text that was found, which may be a literal. */
const withoutLiteral = (message: string): string =>
  message.replace(/^(Syntax Error: .*(?:found|Unexpected) (?:String|BlockString|Int|Float)) ".*$/s, '$1.');
