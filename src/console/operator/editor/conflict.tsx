// Shown if somebody else has changed a record meanwhile: what each of the two has changed is put together, and where both changed the same, a person chooses.
import { useState } from 'preact/hooks';
import { useRest } from '../../api/rest.js';
import { Scrolls } from '../../parts/scrolls.js';
import { Shown } from '../../parts/shown.js';
import { counted } from '../../parts/text.js';
import { changedWords } from './changed-words.js';
import { placeWords, textOf } from './clash-words.js';
import type { EntryRecord, EntryValues } from './forms.js';
import { type Clash, isSame, keyOf, merge, type Place, type Side } from './merge.js';

interface ConflictProps {
  /** The path of the record, and how its text is read. */
  path: string;
  parse(text: string): EntryRecord;
  labels: Readonly<Record<string, string>>;
  /** The record as it was when the form was opened. */
  base: EntryValues;
  own: EntryValues;
  /** Saves what was put together over the record with this etag; without one, as a new record. */
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
        It has changed since you opened it, and yours is not saved.
      </p>
      <Shown view={view}>{(theirs) => <Choice {...props} theirs={theirs} key={theirs.etag} />}</Shown>
    </section>
  );
}

/** Members that are not merged part by part. */
const WHOLE = ['jsonSchema', 'derived'];

function Choice({ labels, base, own, theirs, save, leave }: ConflictProps & { theirs: EntryRecord }) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Side>>(new Map());
  const names = Object.keys(labels);
  const sideOf = (place: Place): Side | undefined => chosen.get(keyOf(place));
  const { values, clashes, taken } = merge(names, { before: base, theirs, yours: own }, sideOf, WHOLE);
  if (names.every((name) => isSame(own[name], theirs[name])))
    return (
      <>
        <p>They saved what you have typed.</p>
        <button type="button" onClick={() => leave(theirs)}>
          Go on with it
        </button>
      </>
    );
  const open = clashes.filter(({ place }) => sideOf(place) === undefined);
  const choose = (place: Place, side: Side): void => setChosen(new Map(chosen).set(keyOf(place), side));
  const nameOf = (place: Place): string => placeWords(place, labels, [base, own, theirs]);
  return (
    <>
      <Taken taken={taken} nameOf={nameOf} />
      <Clashes clashes={clashes} nameOf={nameOf} sideOf={sideOf} choose={choose} />
      <p class="actions">
        <button
          type="button"
          class="main"
          disabled={open.length > 0}
          onClick={() => save({ ...own, ...theirs, ...values }, theirs.etag)}
        >
          {clashes.length === 0 ? 'Save both changes' : 'Save what is chosen'}
        </button>
        <button type="button" onClick={() => leave(theirs)}>
          Leave it as theirs
        </button>
      </p>
    </>
  );
}

type NameOf = (place: Place) => string;

/** What one side alone has changed. */
function Taken({ taken, nameOf }: { taken: readonly { place: Place; from: Side }[]; nameOf: NameOf }) {
  if (taken.length === 0) return null;
  return (
    <>
      <p>What one of you alone has changed is taken:</p>
      <ul>
        {taken.map(({ place, from }) => (
          <li key={keyOf(place)}>
            <bdi>{nameOf(place)}</bdi>: {from}
          </li>
        ))}
      </ul>
    </>
  );
}

interface ClashesProps {
  clashes: readonly Clash[];
  nameOf: NameOf;
  sideOf(place: Place): Side | undefined;
  choose(place: Place, side: Side): void;
}

/** What both have changed, with a choice for each. */
function Clashes({ clashes, nameOf, sideOf, choose }: ClashesProps) {
  if (clashes.length === 0) return null;
  return (
    <>
      <p>Both of you have changed {counted(clashes.length, 'thing')}; choose for each. Changed words are marked.</p>
      <Scrolls label="Both versions">
        <table class="texts">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">Theirs</th>
              <th scope="col">Yours</th>
            </tr>
          </thead>
          <tbody>
            {clashes.map((clash) => (
              <Row
                key={keyOf(clash.place)}
                clash={clash}
                label={nameOf(clash.place)}
                chosen={sideOf(clash.place)}
                choose={(side) => choose(clash.place, side)}
              />
            ))}
          </tbody>
        </table>
      </Scrolls>
    </>
  );
}

interface RowProps {
  clash: Clash;
  label: string;
  chosen: Side | undefined;
  choose(side: Side): void;
}

function Row({ clash, label, chosen, choose }: RowProps) {
  const before = textOf(clash.before);
  return (
    <tr>
      <th scope="row">
        <bdi>{label}</bdi>
      </th>
      <td>
        <pre>{before}</pre>
      </td>
      {(['theirs', 'yours'] as const).map((side) => (
        <td key={side}>
          <label>
            <input type="radio" name={`choice-${label}`} checked={chosen === side} onChange={() => choose(side)} />{' '}
            {side === 'theirs' ? 'Theirs' : 'Yours'}
            <span class="hidden">: {label}</span>
          </label>
          <Marked before={before} text={textOf(clash[side])} />
        </td>
      ))}
    </tr>
  );
}

/** A text, in which what differs from the one before is marked. */
function Marked({ before, text }: { before: string; text: string }) {
  const { head, changed, tail } = changedWords(before, text);
  return (
    <pre>
      {head}
      {changed !== '' && <mark>{changed}</mark>}
      {tail}
    </pre>
  );
}
