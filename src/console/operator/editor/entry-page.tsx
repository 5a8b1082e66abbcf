// One record: a form for operators' keys that may write it, and the record as text for all others.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useSearch } from 'wouter-preact';
import type { OperatorKeyRole } from '../../api/generated/graphql.js';
import { useRest } from '../../api/rest.js';
import { may } from '../../api/role.js';
import { Scrolls } from '../../parts/scrolls.js';
import { Shown } from '../../parts/shown.js';
import { Text } from '../../parts/text.js';
import { Title } from '../../parts/title.js';
import { EntryForm } from './entry-form.js';
import { type EntryRecord, FORMS, type FormKind, recordPath } from './forms.js';
import { Retirement } from './retirement.js';
import { readExactly } from './typed.js';

interface EntryEditorProps {
  kind: FormKind;
  id: string;
  role: OperatorKeyRole;
  /** Draws what stands above the form. */
  facts(entry: EntryRecord): ComponentChildren;
}

export function EntryEditor({ kind, id, role, facts }: EntryEditorProps) {
  // A new record does not exist until it has been saved, so it is not read before.
  const isNew = useSearch() === NEW;
  const [isSaved, setSaved] = useState(!isNew);
  const record = useRest<EntryRecord>(isSaved || !isNew ? recordPath(kind, id) : undefined, readExactly);
  const [isRetired, setRetired] = useState(false);
  const { one, writes, creates } = FORMS[kind];
  const { data, isAbsent, reload } = record;
  const view = { ...record, data: data ? { entry: data } : isNew || isAbsent ? {} : undefined };
  const saved = (): void => {
    setSaved(true);
    reload();
  };
  const title = isNew ? `A new ${one}` : isAbsent ? `No ${one}` : one;
  return (
    <>
      <Title text={String(data?.name ?? data?.title ?? title)} />
      <p>
        <code>
          <Text text={id} />
        </code>
      </p>
      <Shown view={view}>
        {({ entry }) => {
          if (isRetired) return <p role="status">It is retired.</p>;
          if (entry && !may(role, writes)) return <Record entry={entry} facts={facts} reload={reload} />;
          if (!entry && !may(role, creates)) return <p>This key creates no {one}.</p>;
          if (!entry && !isNew) return <NoEntry />;
          return (
            <>
              {entry && facts(entry)}
              <EntryForm
                key="form"
                kind={kind}
                id={id}
                entry={entry ?? FORMS[kind].empty}
                isAll={role === 'ALL'}
                saved={saved}
              />
              {entry && <Retirement kind={kind} id={id} etag={entry.etag} retired={() => setRetired(true)} />}
            </>
          );
        }}
      </Shown>
    </>
  );
}

/** The search of an address that begins a new record. */
const NEW = 'new';

function NoEntry() {
  return (
    <p>
      There is none with this id, or it was retired.{' '}
      <Link href={`${location.pathname.slice('/console'.length)}?${NEW}`}>Create it</Link>
    </p>
  );
}

interface RecordProps extends Pick<EntryEditorProps, 'facts'> {
  entry: EntryRecord;
  reload(): void;
}

/** Shown to operators whose keys may not write the record. */
function Record({ entry, facts, reload }: RecordProps) {
  return (
    <>
      {facts(entry)}
      <p>
        <button type="button" onClick={reload}>
          Read again
        </button>
      </p>
      <Scrolls label="The record">
        <pre>{JSON.stringify(entry, null, 2)}</pre>
      </Scrolls>
    </>
  );
}
