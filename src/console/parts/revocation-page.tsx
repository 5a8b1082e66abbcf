// Revokes issuances by a filter. A preview shows how many match and some of them; the user confirms by typing their number. For partners and
// operators.
import { useState } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import {
  ConfirmRevocationDocument,
  type IssuanceStatus,
  PreviewRevocationDocument,
  type PreviewRevocationMutation,
} from '../api/generated/graphql.js';
import { newKey } from '../api/new-key.js';
import { useAction } from '../api/use-action.js';
import { withValues } from '../catalog/address.js';
import { CommittedField } from './committed-field.js';
import { ISSUANCE_STATES, IssuanceLine } from './issuance-line.js';
import { RunningRevocation } from './running-revocation.js';
import { Said } from './said.js';
import { counted, number } from './text.js';
import { Title } from './title.js';

/** Members of the filter that are texts. */
const TEXTS: Readonly<Record<string, string>> = {
  credentialId: 'Id of the credential',
  schemaId: 'Id of the schema',
  issuerDid: 'DID of the issuer',
  userId: 'userId of the holder',
  batchId: 'Id of the batch',
};
const MOMENTS = { issuedFrom: 'Issued from (UTC)', issuedBefore: 'Issued before (UTC)' } as const;
const REVOCABLE: readonly IssuanceStatus[] = ['WAIT_ONCHAIN', 'ONCHAIN', 'EXPIRE'];

interface RevocationPageProps {
  /** The address of this page. */
  path: string;
  /** Further members of the filter, with their labels. */
  more?: Readonly<Record<string, string>>;
}

/** The form of a new revocation by filter, or the revocation that the address names. */
export function RevocationPage({ path, more = {} }: RevocationPageProps) {
  const search = useSearch();
  const jobId = new URLSearchParams(search).get('jobId');
  return (
    <>
      <Title text="Revoke by filter" />
      {jobId === null ? (
        <NewRevocation path={path} texts={{ ...TEXTS, ...more }} search={search} />
      ) : (
        <RunningRevocation key={jobId} jobId={jobId} path={path} />
      )}
    </>
  );
}

type Filter = Readonly<Record<string, string>>;

interface NewRevocationProps {
  path: string;
  texts: Readonly<Record<string, string>>;
  search: string;
}

function NewRevocation({ path, texts, search }: NewRevocationProps) {
  const [, navigate] = useLocation();
  const given = new URLSearchParams(search);
  const names = [...Object.keys(texts), ...Object.keys(MOMENTS), 'status'];
  const filter = Object.fromEntries(names.flatMap((name) => (given.get(name) ? [[name, given.get(name) ?? '']] : [])));
  const { run, isRunning, fault, data, reset } = useAction(PreviewRevocationDocument);
  const set = (name: string, value: string): void => {
    reset();
    navigate(`${path}?${withValues(search, { [name]: value.trim() })}`, { replace: true });
  };
  const preview = (event: Event): void => {
    event.preventDefault();
    void run({ input: inputOf(filter) });
  };
  return (
    <>
      <p>All that is given must match. Nothing is revoked before you have confirmed how many.</p>
      <form class="filters" onSubmit={preview}>
        {Object.entries(texts).map(([name, label]) => (
          <FilterField key={name} label={label} value={filter[name]} set={(value) => set(name, value)} />
        ))}
        {Object.entries(MOMENTS).map(([name, label]) => (
          <FilterField
            key={name}
            label={label}
            type="datetime-local"
            value={filter[name]}
            set={(value) => set(name, value)}
          />
        ))}
        <StatusField label="State" states={REVOCABLE} value={filter.status} set={(value) => set('status', value)} />
        <button type="submit" disabled={isRunning}>
          Preview
        </button>
      </form>
      <Said fault={fault} />
      {data && (
        <Preview key={data.previewRevocation.token} preview={data.previewRevocation} path={path} again={reset} />
      )}
    </>
  );
}

/** Times are typed without their time zone. */
const inputOf = (filter: Filter): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, name in MOMENTS ? momentOf(value) : value]));

/** A time in UTC from the value of a `datetime-local` field. */
export const momentOf = (typed: string): string => `${typed.length === 16 ? `${typed}:00` : typed}Z`;

interface FilterFieldProps {
  label: string;
  type?: 'text' | 'datetime-local';
  value: string | undefined;
  set(value: string): void;
}

export function FilterField({ label, type = 'text', value = '', set }: FilterFieldProps) {
  return <CommittedField label={label} type={type} {...(type !== 'text' && { step: 1 })} value={value} commit={set} />;
}

interface StatusFieldProps {
  label: string;
  states: readonly IssuanceStatus[];
  value: string | undefined;
  set(value: string): void;
}

export function StatusField({ label, states, value = '', set }: StatusFieldProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
        <option value="">any</option>
        {states.map((state) => (
          <option key={state} value={state}>
            {ISSUANCE_STATES[state]}
          </option>
        ))}
      </select>
    </label>
  );
}

interface PreviewProps {
  preview: PreviewRevocationMutation['previewRevocation'];
  path: string;
  /** Forgets the preview. */
  again(): void;
}

/** How many issuances match, some of them, and the field for confirming the revocation. */
function Preview({ preview: { token, count, sample, expiresAt }, path, again }: PreviewProps) {
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const [key] = useState(newKey);
  const { run, isRunning, fault } = useAction(ConfirmRevocationDocument);
  if (!token) return <p role="status">Nothing matches.</p>;
  const revoke = async (): Promise<void> => {
    const data = await run({ input: { token, idempotencyKey: key } });
    if (data) navigate(`${path}?${new URLSearchParams({ jobId: data.confirmRevocation.job.jobId })}`);
  };
  return (
    <section aria-labelledby="matches">
      <h2 id="matches">{counted(count, 'credential')} would be revoked</h2>
      <p role="status">{sample.length < count ? `The first ${sample.length} of them:` : 'These:'}</p>
      <ul class="lines">
        {sample.map((issuance) => (
          <li key={issuance.id}>
            <IssuanceLine issuance={issuance} />
          </li>
        ))}
      </ul>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void revoke();
        }}
      >
        <label class="wide">
          It cannot be undone. Type {number(count)} to confirm
          {expiresAt && `, until ${expiresAt.slice(11, 16)} UTC`}
          <input
            type="text"
            inputMode="numeric"
            autocomplete="off"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        <button type="submit" class="main" disabled={isRunning || typed.replace(/\D/g, '') !== String(count)}>
          Revoke {counted(count, 'credential')}
        </button>
        <button type="button" onClick={again}>
          Do not
        </button>
      </form>
      <Said fault={fault} />
    </section>
  );
}
