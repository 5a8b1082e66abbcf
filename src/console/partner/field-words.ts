// Fields of a credential, and what is wrong with them, in words.
import { typeInfoOf } from '../../common/data-types.js';

interface NamedField {
  name: string;
  title: string;
  type: string;
}

/** What people call a field. */
export const nameOf = ({ title, name }: NamedField): string => title || name;

/** What is entered into a field of this type. */
export function typeWords(type: string): string {
  const { family, whole, form } = typeInfoOf(type);
  if (family === 'number') return whole ? 'whole number' : 'number';
  if (family === 'boolean') return 'true or false';
  if (family === 'text') return 'text';
  if (family === 'date') return form === 'date' ? 'date' : 'date and time, with its zone';
  return type.endsWith('[]') || type === 'array' ? 'list, as JSON' : 'JSON';
}

/** How the gateway begins what is wrong with a subject. */
const BEGINNING = /^"credentialSubject" does not fit the schema: (.*)\.$/s;
const OF_TYPE = / must be of type ([\w[\]-]+)/;

/** The gateway's sentence about a subject, with the names of the form. Other sentences stay. */
export function subjectSentence(message: string, fields: readonly NamedField[]): string {
  const [, faults] = BEGINNING.exec(message) ?? [];
  if (faults === undefined) return message;
  return `${faults
    .split('; ')
    .map((fault) => faultWords(fault, fields))
    .join('; ')}.`;
}

function faultWords(fault: string, fields: readonly NamedField[]): string {
  const field = fields
    .filter(({ name }) => fault.startsWith(`${name} `))
    .sort((a, b) => b.name.length - a.name.length)[0];
  if (field === undefined) return fault;
  const rest = fault.slice(field.name.length).replace(OF_TYPE, (_, type: string) => ` must be: ${typeWords(type)}`);
  return `“${nameOf(field)}”${rest}`;
}
