// A form for the content of a credential, built from its data points.
import { typeInfoOf } from '../../common/data-types.js';
import { emptyObject, put } from '../../common/nested.js';
import { Text } from '../parts/text.js';
import { typeWords } from './field-words.js';

export interface Point {
  name: string;
  title: string;
  type: string;
  description: string;
  isRequired: boolean;
}

/** The typed texts, by data point. */
export type Typed = Readonly<Record<string, string>>;

interface SubjectFormProps {
  points: readonly Point[];
  typed: Typed;
  set(name: string, value: string): void;
  /** The fault of a field, if it has one. */
  faultOf(name: string): string | undefined;
}

export function SubjectForm({ points, typed, set, faultOf }: SubjectFormProps) {
  return (
    <fieldset>
      <legend>What is in it</legend>
      {points.map((point) => {
        const fault = faultOf(point.name);
        const about = `about-${point.name}`;
        return (
          <div key={point.name} class="field">
            <label for={`field-${point.name}`}>
              <Text text={point.title || point.name} /> <span class="quiet">{typeWords(point.type)}</span>
            </label>
            <Field
              point={point}
              value={typed[point.name] ?? ''}
              set={set}
              about={about}
              isWrong={fault !== undefined}
            />
            <p id={about} class={fault ? 'fault' : 'quiet'}>
              <Text text={fault ?? point.description} limit={300} />
            </p>
          </div>
        );
      })}
    </fieldset>
  );
}

interface FieldProps {
  point: Point;
  value: string;
  set(name: string, value: string): void;
  about: string;
  isWrong: boolean;
}

function Field({ point: { name, type, isRequired }, value, set, about, isWrong }: FieldProps) {
  const { family, whole, form } = typeInfoOf(type);
  const shared = {
    id: `field-${name}`,
    value,
    required: isRequired,
    'aria-describedby': about,
    'aria-invalid': isWrong,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => set(name, currentTarget.value),
  };
  if (family === 'boolean')
    return (
      <select {...shared}>
        <option value="">–</option>
        <option value="true">Yes</option>
        <option value="false">No</option>
      </select>
    );
  if (family === 'json') return <textarea {...shared} rows={3} placeholder="JSON" />;
  if (family === 'number') return <input {...shared} type="number" step={whole ? 1 : 'any'} />;
  if (family === 'date' && form === 'date') return <input {...shared} type="date" />;
  return <input {...shared} type="text" placeholder={family === 'date' ? '2026-01-31T12:00:00Z' : undefined} />;
}

/**
 * The subject made from the typed texts; names with dots become nested objects. @throws FieldFault for a value that is
 * not of its type.
 */
export function subjectOf(points: readonly Point[], typed: Typed): Record<string, unknown> {
  const subject = emptyObject();
  for (const { name, type } of points) {
    const text = typed[name] ?? '';
    if (text !== '') put(subject, name.split('.'), typedValue(name, type, text));
  }
  return subject;
}

export class FieldFault extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

function typedValue(name: string, type: string, text: string): unknown {
  const { family } = typeInfoOf(type);
  if (family === 'number') return Number(text);
  if (family === 'boolean') return text === 'true';
  if (family !== 'json') return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new FieldFault(name, 'This is not JSON; a text needs quotes.');
  }
}
