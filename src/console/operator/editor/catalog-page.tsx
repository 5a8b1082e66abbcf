// Where an operator chooses the catalog entry to edit: by its id, or by a link from its page.
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { Kind } from '../../api/changes.js';
import type { OperatorKeyRole } from '../../api/generated/graphql.js';
import { may } from '../../api/role.js';
import { editorPath } from '../../catalog/address.js';
import { LISTS } from '../../catalog/kinds.js';
import { Title } from '../../parts/title.js';
import { FORMS } from './forms.js';

const KINDS = Object.keys(LISTS) as Kind[];

export function CatalogEditor({ role }: { role: OperatorKeyRole }) {
  const [kind, setKind] = useState<Kind>('credentials');
  const [id, setId] = useState('');
  const [, navigate] = useLocation();
  const open = (event: SubmitEvent): void => {
    event.preventDefault();
    const isNew = event.submitter?.getAttribute('name') === 'new';
    navigate(`${editorPath(kind, id.trim())}${isNew ? '?new' : ''}`);
  };
  return (
    <>
      <Title text="Entries" />
      <p>
        The page of each entry leads to its form:{' '}
        {KINDS.map((each, index) => (
          <span key={each}>
            {index > 0 && ', '}
            <Link href={`/${each}`}>{LISTS[each].title}</Link>
          </span>
        ))}
        .
      </p>
      <form class="filters" onSubmit={open}>
        <label>
          Kind
          <select value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}>
            {KINDS.map((each) => (
              <option key={each} value={each}>
                {LISTS[each].one}
              </option>
            ))}
          </select>
        </label>
        <label>
          Id
          <input
            type="text"
            required
            maxLength={500}
            autocomplete="off"
            value={id}
            onInput={({ currentTarget }) => setId(currentTarget.value)}
          />
        </label>
        <button type="submit">Open it</button>
        {may(role, FORMS[kind].creates) && (
          <button type="submit" name="new">
            Begin a new one
          </button>
        )}
      </form>
    </>
  );
}
