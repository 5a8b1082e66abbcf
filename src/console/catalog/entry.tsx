// The common parts of all entries' pages: the entry, or a message if there is none; its origin; and its query.
import type { ComponentChildren } from 'preact';
import { Link, useSearch } from 'wouter-preact';
import { type Kind, useChanges } from '../api/changes.js';
import type { GeneratedDocument } from '../api/client.js';
import { OperatorHomeDocument, type WhereFragment } from '../api/generated/graphql.js';
import { may } from '../api/role.js';
import { useSession } from '../api/session.js';
import { useView } from '../api/use-view.js';
import { QueryOf } from '../parts/query.js';
import { Newer, Shown } from '../parts/shown.js';
import { Day, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';
import { editorPath, idInAddress } from './address.js';
import { LISTS } from './kinds.js';

interface EntryPageProps<Data, Variables extends { id: string }, Entry> {
  kind: Kind;
  document: GeneratedDocument<Data, Variables>;
  /** The variables of the query other than the id. */
  variables: Omit<Variables, 'id'>;
  entryOf(data: Data): Entry | null | undefined;
  titleOf(entry: Entry): string;
  children(entry: Entry): ComponentChildren;
}

/** The page of an entry, read by one nested query. */
export function EntryPage<Data, Variables extends { id: string }, Entry>(
  props: EntryPageProps<Data, Variables, Entry>,
) {
  const { kind, document, entryOf, titleOf, children } = props;
  const id = idInAddress();
  const variables = { ...props.variables, id } as Variables;
  const view = useView<Data, Variables>(document, variables);
  const [changed, forget] = useChanges(kind, id);
  const showNewer = (): void => {
    forget();
    view.reload();
  };
  return (
    <>
      <Newer changed={changed} show={showNewer} />
      <Shown view={view}>
        {(data) => {
          const entry = entryOf(data);
          if (entry === null || entry === undefined) return <Absent kind={kind} id={id} />;
          return (
            <>
              <Title text={titleOf(entry)} />
              <EditorLink kind={kind} id={id} />
              {children(entry)}
            </>
          );
        }}
      </Shown>
      <QueryOf document={document} variables={variables} />
    </>
  );
}

/** For operators: the way to the form of the entry. */
function EditorLink({ kind, id }: { kind: Kind; id: string }) {
  const isOperator = useSession()?.kind === 'operator';
  const { data } = useView(OperatorHomeDocument, {}, !isOperator);
  const role = data?.whoAmI.role;
  if (!isOperator || !role) return null;
  return (
    <p>
      <Link href={editorPath(kind, id)}>{may(role, 'CATALOG') ? 'Edit it' : 'Its record'}</Link>
    </p>
  );
}

function Absent({ kind, id }: { kind: Kind; id: string }) {
  return (
    <>
      <Title text="Not in the catalog" />
      <p>
        There is no {LISTS[kind].one} <code>{<Text text={id} />}</code>, or it was retired.
      </p>
    </>
  );
}

/** The cursor in the address, for the list on an entry's page. */
export function useAfter(): string | undefined {
  return new URLSearchParams(useSearch()).get('after') ?? undefined;
}

/** Facts of an entry as pairs; absent ones are left out. */
export function Facts({ facts }: { facts: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <dl class="facts">
      {Object.entries(facts).map(
        ([name, value]) =>
          value !== undefined &&
          value !== null &&
          value !== false && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Where an entry was mirrored from; nothing for entries of this gateway. */
export function OriginOf({ origin }: { origin: WhereFragment | null | undefined }) {
  if (origin === null || origin === undefined) return null;
  const { source, sourceId, editedAt, missingSince } = origin;
  return (
    <p class="quiet">
      Mirrored from <Text text={source} />, where its id is <Text text={sourceId} />.
      {editedAt && (
        <>
          {' '}
          Edited here on <Day time={editedAt} />.
        </>
      )}
      {missingSince && (
        <>
          {' '}
          The source no longer has it since <Day time={missingSince} />.
        </>
      )}
    </p>
  );
}
