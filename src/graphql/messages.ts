// Sentences for what graphql-js refuses: its own name no field, and repeat values. Variables and literals hold subjects, session tokens,
// login codes and keys, which must not be in a response or a log. Names of types, fields and positions stay.
import { type GraphQLError, Kind } from 'graphql';

/** graphql-js's messages about values, and the rest of our sentence, as REST has it (base/input.ts). */
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

/** What clients and the log may have of an error, with the field that it is about: an argument, or a part of its value. */
export function refusalOf(error: GraphQLError): Refusal {
  const { message, nodes, extensions } = error;
  if (nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION) return variableRefusal(error, nodes[0].variable.name.value);
  const [, argument] = /^Argument "(\w+)" (?:of non-null type|has invalid value) /.exec(message) ?? [];
  const place = argument ?? String(extensions.field ?? '');
  const refusal = sentenceOf(place, message) ?? (argument ? misfit(argument) : undefined);
  return refusal ?? { message: withoutLiteral(message) };
}

/** Of a variable's value, which graphql-js repeats before the position in it and the reason. */
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
    // Its place is not known; the message still must not be repeated, because it holds the value.
    if (field === '') return { message: `A value ${rest}.` };
    return { message: `"${field}" ${rest}${member === undefined ? '.' : suggested(reason)}`, field };
  }
  return undefined;
}

/** Longest field in a message. */
const MAX_FIELD = 200;

/** The end of a sentence about a name that is not known; graphql-js knows similar ones. */
function suggested(reason: string): string {
  const [, names] = / Did you mean (.*)\?$/.exec(reason) ?? [];
  return names === undefined ? '.' : `; did you mean ${names}?`;
}

const misfit = (field: string): Refusal => ({ message: `"${field}" ${MISFIT}.`, field });

/** What does not parse, cut before the text that was found. */
const withoutLiteral = (message: string): string =>
  message.replace(/^(Syntax Error: .*(?:found|Unexpected) (?:String|BlockString|Int|Float)) ".*$/s, '$1.');
