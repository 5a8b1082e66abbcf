// graphql-js's messages without the values that they repeat: variables and literals hold subjects, session tokens, login codes and
// keys, which must not be in a response or a log. Names of types and positions stay.
import { type GraphQLError, Kind } from 'graphql';

/** Its messages, cut before the value. */
const CUTS: readonly (readonly [RegExp, string])[] = [
  [/^((?:Enum )?"?\w+"? cannot represent (?:an? )?[\w -]*value): .*$/s, '$1.'],
  [/^Value .* does not exist in "(\w+)" enum\..*$/s, 'The value is none of the enum "$1".'],
  [/^(Expected value of type "[^"]+"), found .*$/s, '$1.'],
  [/^(Expected type "[^"]+"\.) .*$/s, '$1'],
  [/^(DateTime expects .*); .* is not\.$/s, '$1.'],
  [/^(Syntax Error: .*(?:found|Unexpected) (?:String|BlockString|Int|Float)) ".*$/s, '$1.'],
];

/** Messages about variables that name only types and fields. */
const PLAIN =
  /^(?:Expected (?:non-nullable )?type "[^"]+"(?: not to be null| to be an object)?\.|Field "[^"]{1,100}" .*|Exactly one key .*)$/s;

const withoutValue = (message: string): string =>
  CUTS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);

/** The message as clients and the log may have it. */
export function messageOf({ message, nodes, originalError }: GraphQLError): string {
  if (nodes?.[0]?.kind !== Kind.VARIABLE_DEFINITION || !message.includes(' got invalid value '))
    return withoutValue(message);
  const { name } = nodes[0].variable;
  // After the value come the position in it and the reason.
  const reason = originalError?.message ?? '';
  const [, place = name.value] = / at "([\w.[\]]*)"$/.exec(message.slice(0, -`; ${reason}`.length)) ?? [];
  const safe = withoutValue(reason);
  const isSafe = safe !== reason || PLAIN.test(reason);
  return `Variable "$${name.value}" got an invalid value at "${place}"; ${isSafe ? safe : 'it does not fit its type.'}`;
}
