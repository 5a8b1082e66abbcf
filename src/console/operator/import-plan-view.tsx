// What chosen files become, before anything is written: each entry with its id, and of a document whether it is new and what it would break.
import { useClient } from '@urql/preact';
import { useEffect, useState } from 'preact/hooks';
import { byHash } from '../api/client.js';
import { type Fault, faultOf } from '../api/fault.js';
import { PlannedSchemaDocument, type PlannedSchemaQuery, type PutSchemaInput } from '../api/generated/graphql.js';
import { counted, number, Text } from '../parts/text.js';
import type { ImportPlan, PlannedEntry } from './import-plan.js';

/** How many entries are shown, and documents checked. */
const SHOWN = 200;

type Checked = PlannedSchemaQuery | { message: string } | 'new';

export function PlanView({ plan: { entries, faults } }: { plan: ImportPlan }) {
  const checked = useChecked(entries);
  return (
    <section aria-labelledby="plan">
      <h2 id="plan">What they become</h2>
      <p role="status">
        {counted(entries.length, 'entry', 'entries')} can be imported, {faults.length} cannot.
      </p>
      <ul class="lines">
        {faults.slice(0, SHOWN).map(({ place, message }) => (
          <li key={place} class="fault">
            <Text text={place} /> <Text text={message} />
          </li>
        ))}
        {entries.slice(0, SHOWN).map((entry) => (
          <Entry key={entry.place} entry={entry} checked={checked.get(entry.place)} />
        ))}
      </ul>
      {entries.length > SHOWN && <p>And {number(entries.length - SHOWN)} more.</p>}
    </section>
  );
}

const ONE: Readonly<Record<string, string>> = {
  issuers: 'Issuer',
  schemas: 'Schema',
  credentials: 'Credential',
  verifiers: 'Verifier',
  programs: 'Program',
  partners: 'Partner',
};

function Entry({ entry: { place, kind, id, title, document }, checked }: { entry: PlannedEntry; checked?: Checked }) {
  const isRefused = typeof checked === 'object' && 'message' in checked;
  return (
    <li>
      {ONE[kind]} {title !== '' && <Text text={title} />} <code>{id && <Text text={id} />}</code>
      {document && (
        <p class={isRefused ? 'fault' : undefined}>{checked === undefined ? 'Checking …' : wordsOf(checked)}</p>
      )}
      <p class="counts">
        <Text text={place} />
      </p>
    </li>
  );
}

function wordsOf(checked: Checked): string {
  if (checked === 'new') return 'New.';
  if ('message' in checked) return checked.message;
  const { schema, schemaImpact } = checked;
  const { breaks, reissue } = schemaImpact;
  return `There is one with this id, “${schema?.title}”. If it differs, this is its next version: ${counted(breaks.length, 'condition')} of programs would break, and ${counted(reissue, 'credential')} would have to be issued again.`;
}

/** A document is checked before its id is looked up. */
function outcomeOf(fault: Fault | undefined): Checked {
  return fault?.code === 'NOT_FOUND' ? 'new' : { message: fault?.sentence ?? 'This did not work.' };
}

/** Asks the gateway what it would make of the documents, one after the other. */
function useChecked(entries: readonly PlannedEntry[]): ReadonlyMap<string, Checked> {
  const client = useClient();
  const [checked, setChecked] = useState<ReadonlyMap<string, Checked>>(new Map());
  useEffect(() => {
    let isCurrent = true;
    setChecked(new Map());
    void (async () => {
      for (const { place, id, document } of entries.slice(0, SHOWN)) {
        if (!isCurrent) return;
        if (document === undefined) continue;
        const input: PutSchemaInput = { schemaId: id, jsonSchema: document };
        const { data, error } = await client
          .query(byHash(PlannedSchemaDocument), { id, input }, { requestPolicy: 'network-only' })
          .toPromise();
        const outcome = data ?? outcomeOf(error && faultOf(error));
        if (isCurrent) setChecked((before) => new Map(before).set(place, outcome));
      }
    })();
    return () => {
      isCurrent = false;
    };
  }, [entries]);
  return checked;
}
