// The data points of a schema, each with its members.
import { TYPE_LABELS } from '../../../common/data-types.js';
import { FaultSaid } from '../../parts/said.js';
import type { EntryFieldProps } from './field-props.js';

interface Point {
  name: string;
  title: string;
  type: string;
  isRequired: boolean;
  description: string;
}

const EMPTY: Point = { name: '', title: '', type: 'string', isRequired: false, description: '' };
const TEXTS = { name: 'Name', title: 'Title', type: 'Type', description: 'Description' } as const;

export function PointsField({ field, value, set, fault, isDisabled }: EntryFieldProps) {
  const points = value as readonly Point[];
  const change = (at: number, members: Partial<Point>): void =>
    set(points.map((point, index) => (index === at ? { ...point, ...members } : point)));
  const [, wrongAt] = /\[(\d+)\]/.exec(fault?.field ?? '') ?? [];
  return (
    <fieldset disabled={isDisabled}>
      <legend>{field.label}</legend>
      <datalist id="types">
        {TYPE_LABELS.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      {points.map((point, index) => (
        <fieldset key={index} class="filters">
          <legend>Data point {index + 1}</legend>
          {Object.entries(TEXTS).map(([name, label]) => (
            <label key={name}>
              {label}
              <input
                type="text"
                required={name === 'name' || name === 'type'}
                list={name === 'type' ? 'types' : undefined}
                aria-invalid={wrongAt === String(index) && (fault?.field.endsWith(`.${name}`) ?? false)}
                value={point[name as keyof typeof TEXTS]}
                onInput={({ currentTarget }) => change(index, { [name]: currentTarget.value })}
              />
            </label>
          ))}
          <label class="tick">
            <input
              type="checkbox"
              checked={point.isRequired}
              onChange={({ currentTarget }) => change(index, { isRequired: currentTarget.checked })}
            />
            Always there
          </label>
          <button type="button" onClick={() => set(points.filter((_, each) => each !== index))}>
            Remove data point {index + 1}
          </button>
        </fieldset>
      ))}
      <p>
        <button type="button" onClick={() => set([...points, EMPTY])}>
          Add a data point
        </button>
      </p>
      {fault && <FaultSaid fault={fault} />}
    </fieldset>
  );
}
