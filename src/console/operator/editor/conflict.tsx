// Shown if somebody else has changed a record meanwhile: both versions, field by field, and a choice for each.
import { useState } from 'preact/hooks';
import { useRest } from '../../api/rest.js';
import { Scrolls } from '../../parts/scrolls.js';
import { Shown } from '../../parts/shown.js';
import type { EntryRecord, EntryValues } from './forms.js';

interface ConflictProps {
  /** The path of the record, and how its text is read. */
  path: string;
  parse(text: string): EntryRecord;
  labels: Readonly<Record<string, string>>;
  /** The record as it was when the form was opened. */
  base: EntryValues;
  own: EntryValues;
  /** Saves what was chosen over the record with this etag; without one, as a new record. */
  save(chosen: EntryValues, etag: string | undefined): void;
  /** Keeps the record as the other operator has saved it. */
  leave(theirs: EntryRecord): void;
}

/** Reads the current record, and shows where it differs from what was typed. */
export function Conflict(props: ConflictProps) {
  const { path, parse, own, save } = props;
  const view = useRest(path, parse);
  if (view.isAbsent)
    return (
      <section aria-labelledby="conflict">
        <h2 id="conflict">Somebody else has retired it</h2>
        <p role="alert" class="fault">
          Yours is not saved.
        </p>
        <button type="button" onClick={() => save(own, undefined)}>
          Create it again as it is here
        </button>
      </section>
    );
  return (
    <section aria-labelledby="conflict">
      <h2 id="conflict">Somebody else has saved it</h2>
      <p role="alert" class="fault">
        It has changed since you opened it, and yours is not saved. Choose for each field that differs.
      </p>
      <Shown view={view}>{(theirs) => <Choice {...props} theirs={theirs} key={theirs.etag} />}</Shown>
    </section>
  );
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

type Side = 'theirs' | 'yours';

function Choice({ labels, base, own, theirs, save, leave }: ConflictProps & { theirs: EntryRecord }) {
  const differing = Object.keys(labels).filter((name) => !isSame(own[name], theirs[name]));
  // Each field begins with the version of the side that changed it, until the reader chooses.
  const sideOf = (name: string): Side => (isSame(own[name], base[name]) ? 'theirs' : 'yours');
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({});
  const side = (name: string): Side => chosen[name] ?? sideOf(name);
  const taken = differing.filter((name) => side(name) === 'theirs');
  const result = { ...own, ...Object.fromEntries(taken.map((name) => [name, theirs[name]])) };
  if (differing.length === 0)
    return (
      <>
        <p>They saved what you have typed.</p>
        <button type="button" onClick={() => leave(theirs)}>
          Go on with it
        </button>
      </>
    );
  return (
    <>
      <Scrolls label="Both versions">
        <table class="texts">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Theirs</th>
              <th scope="col">Yours</th>
            </tr>
          </thead>
          <tbody>
            {differing.map((name) => (
              <Row
                key={name}
                name={name}
                label={labels[name] ?? name}
                texts={{ theirs: textOf(theirs[name]), yours: textOf(own[name]) }}
                chosen={side(name)}
                choose={(each) => setChosen({ ...chosen, [name]: each })}
              />
            ))}
          </tbody>
        </table>
      </Scrolls>
      <p class="actions">
        <button type="button" class="main" onClick={() => save(result, theirs.etag)}>
          Save what is chosen
        </button>
        <button type="button" onClick={() => leave(theirs)}>
          Leave it as theirs
        </button>
      </p>
    </>
  );
}

interface RowProps {
  name: string;
  label: string;
  texts: Readonly<Record<Side, string>>;
  chosen: Side;
  choose(side: Side): void;
}

function Row({ name, label, texts, chosen, choose }: RowProps) {
  return (
    <tr>
      <th scope="row">{label}</th>
      {(['theirs', 'yours'] as const).map((each) => (
        <td key={each}>
          <label>
            <input type="radio" name={`choice-${name}`} checked={chosen === each} onChange={() => choose(each)} />{' '}
            {each === 'theirs' ? 'Theirs' : 'Yours'}
            <span class="hidden">: {label}</span>
          </label>
          <pre>{texts[each]}</pre>
        </td>
      ))}
    </tr>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '(nothing)';
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join('\n') || '(nothing)';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
