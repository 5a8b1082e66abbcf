// Events as they happen, from a chosen place in the log. New ones are added at the bottom, so that what is being read does not move. For partners and
// operators.
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import type { GeneratedDocument } from '../api/client.js';
import type { Fault } from '../api/fault.js';
import { follow } from '../api/follow.js';
import {
  ConsentsFollowedDocument,
  DisabledWebhooksFollowedDocument,
  IssuancesFollowedDocument,
  VerificationsFollowedDocument,
} from '../api/generated/graphql.js';
import { CommittedField } from './committed-field.js';
import { QueryOf } from './query.js';
import { FaultSaid } from './said.js';
import { counted, Text } from './text.js';
import { Title } from './title.js';

/** What all events have, and members that depend on their type. */
interface ShownEvent {
  id: string;
  type: string;
  at: string;
  [member: string]: string | null;
}

type EventsDocument = GeneratedDocument<Record<string, ShownEvent>, { after?: string }>;

/** Each kind with its subscription. */
const KINDS: Readonly<Record<string, { label: string; document: unknown }>> = {
  issuances: { label: 'Issuances', document: IssuancesFollowedDocument },
  verifications: { label: 'Verifications', document: VerificationsFollowedDocument },
  webhooks: { label: 'Disabled webhooks', document: DisabledWebhooksFollowedDocument },
  consents: { label: 'Consents to access keys', document: ConsentsFollowedDocument },
};

/** A line of the list: an event, or a note between two events. */
type Line = { event: ShownEvent } | { said: string };

/** The most events on one page; later ones are on another page. */
const MOST_LINES = 500;

export function EventsPage({ path }: { path: string }) {
  const query = new URLSearchParams(useSearch());
  const kind = Object.hasOwn(KINDS, query.get('of') ?? '') ? (query.get('of') ?? '') : 'issuances';
  const after = query.get('after') ?? '';
  const to = (values: Record<string, string>): string => `${path}?${new URLSearchParams({ of: kind, ...values })}`;
  return (
    <>
      <Title text="Events" />
      <Place kind={kind} after={after} to={to} />
      <Followed key={`${kind} ${after}`} kind={kind} after={after} to={to} />
    </>
  );
}

interface PlaceProps {
  kind: string;
  after: string;
  to(values: Record<string, string>): string;
}

/** The choice of the events, and of where to begin. */
function Place({ kind, after, to }: PlaceProps) {
  const [, navigate] = useLocation();
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        Of
        <select
          value={kind}
          onChange={({ currentTarget }) => navigate(to({ of: currentTarget.value, ...(after && { after }) }))}
        >
          {Object.entries(KINDS).map(([value, { label }]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <CommittedField
        label="After the event with this id (empty: only what happens from now on)"
        isWide
        maxLength={100}
        autocomplete="off"
        value={after}
        commit={(id) => navigate(to(id === '' ? {} : { after: id }))}
      />
    </form>
  );
}

interface Reading {
  lines: readonly Line[];
  isOpen: boolean;
  fault?: Fault | undefined;
}

/** Follows the events. After an interruption, it continues behind the last event that was read. */
function useEvents(document: EventsDocument, first: string): Reading {
  const [reading, setReading] = useState<Reading>({ lines: [], isOpen: false });
  const [after, setAfter] = useState(first);
  useEffect(() => {
    let last = after;
    let left = MOST_LINES;
    const add = (line: Line): void => setReading(({ lines, ...others }) => ({ ...others, lines: [...lines, line] }));
    const stop = follow(document, () => (last === '' ? {} : { after: last }), {
      next(data) {
        const [event] = Object.values(data);
        if (event === undefined) return;
        last = event.id;
        left -= 1;
        add({ event });
        if (left === 0) stop();
      },
      opened(isAgain) {
        if (isAgain && last === '') add({ said: 'The connection was away. What happened meanwhile is missing here.' });
        setReading(({ lines }) => ({ lines, isOpen: true }));
      },
      interrupted(fault) {
        setReading(({ lines }) => ({ lines, isOpen: false, fault }));
        if (fault.oldest === undefined) return;
        add({ said: 'Events are missing here: they are no longer stored.' });
        setAfter(fault.oldest);
      },
    });
    return stop;
  }, [document, after]);
  return reading;
}

function Followed({ kind, after, to }: PlaceProps) {
  const document = KINDS[kind]?.document as EventsDocument;
  const { lines, isOpen, fault } = useEvents(document, after);
  const events = lines.flatMap((line) => ('event' in line ? [line.event] : []));
  const last = events.at(-1)?.id;
  const isFull = events.length >= MOST_LINES;
  return (
    <>
      <p role="status">
        {isFull ? 'This page is full' : isOpen ? 'Live' : 'Connecting …'}: {counted(events.length, 'event')}.{' '}
        {last && <Link href={to({ after: last })}>Only later ones</Link>}
      </p>
      {fault && fault.oldest === undefined && <FaultSaid fault={fault} />}
      <QueryOf document={document} variables={after === '' ? {} : { after }} />
      <ol class="lines" aria-label="Events, oldest first">
        {lines.map((line, index) =>
          'event' in line ? (
            <EventLine key={line.event.id} event={line.event} to={to} />
          ) : (
            <li key={`said ${index}`} class="fault">
              {line.said}
            </li>
          ),
        )}
      </ol>
    </>
  );
}

function EventLine({ event: { id, type, at, ...members }, to }: { event: ShownEvent; to: PlaceProps['to'] }) {
  return (
    <li>
      <strong>{type}</strong> <time dateTime={at}>{at.slice(0, 19).replace('T', ' ')} UTC</time>{' '}
      <Link href={to({ after: id })}>From here on</Link>
      <dl class="facts">
        {Object.entries(members).map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <Text text={value} />
                </dd>
              </div>
            ),
        )}
      </dl>
    </li>
  );
}
