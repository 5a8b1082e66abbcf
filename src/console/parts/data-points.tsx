// The fields of a credential or a schema.
import { Text } from './text.js';

interface DataPoint {
  name: string;
  title: string;
  type: string;
  description: string;
  isRequired: boolean;
}

export function DataPoints({ points }: { points: readonly DataPoint[] }) {
  if (points.length === 0) return <p>The schema has no fields.</p>;
  return (
    <ul class="lines">
      {points.map(({ name, title, type, description, isRequired }) => (
        <li key={name}>
          <strong>
            <Text text={title || name} />
          </strong>{' '}
          <code>
            <bdi>{name}</bdi>
          </code>{' '}
          <span class="quiet">
            {type}
            {isRequired ? ', always there' : ''}
          </span>
          {description !== '' && (
            <p>
              <Text text={description} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
