// Issues one credential, with a form that is built from the schema's data points.
import { useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import { useDraft } from '../api/drafts.js';
import {
  IssueFormDocument,
  type IssueFormQuery,
  IssueOneDocument,
  type OnDuplicate,
} from '../api/generated/graphql.js';
import { newKey } from '../api/new-key.js';
import { useAction } from '../api/use-action.js';
import { useView } from '../api/use-view.js';
import { CommittedField } from '../parts/committed-field.js';
import { Said } from '../parts/said.js';
import { Shown } from '../parts/shown.js';
import { Name } from '../parts/text.js';
import { Title } from '../parts/title.js';
import { subjectSentence } from './field-words.js';
import { FieldFault, SubjectForm, subjectOf, type Typed } from './subject-form.js';

export function IssuePage() {
  const id = new URLSearchParams(useSearch()).get('credentialId') ?? '';
  const [, navigate] = useLocation();
  return (
    <>
      <Title text="Issue a credential" />
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <CommittedField
          label="Id of the credential (pages of credentials lead here, too)"
          isWide
          value={id}
          commit={(credentialId) => navigate(`/partner/issue?${new URLSearchParams({ credentialId })}`)}
        />
      </form>
      {id !== '' && <FormOf key={id} id={id} />}
    </>
  );
}

function FormOf({ id }: { id: string }) {
  const view = useView(IssueFormDocument, { id });
  return (
    <Shown view={view}>
      {({ credential }) =>
        credential ? <IssueForm credential={credential} /> : <p>There is no credential with this id.</p>
      }
    </Shown>
  );
}

const SUBJECT = 'credentialSubject.';

interface IssueDraft {
  typed: Typed;
  email: string;
  onDuplicate: OnDuplicate;
}

function IssueForm({ credential }: { credential: NonNullable<IssueFormQuery['credential']> }) {
  const { credentialId, name, issuer, dataPoints } = credential;
  const draft = useDraft<IssueDraft>('issue', { typed: {}, email: '', onDuplicate: 'IGNORE' });
  const { typed, email, onDuplicate } = draft.value;
  // One idempotency key for each content, so that a repeated click issues once.
  const [key, setKey] = useState(newKey);
  const [wrong, setWrong] = useState<FieldFault>();
  const { run, isRunning, fault, data } = useAction(IssueOneDocument);
  const change = (members: Partial<IssueDraft>): void => {
    draft.keep({ ...draft.value, ...members });
    setKey(newKey());
    setWrong(undefined);
  };
  const faultOf = (point: string): string | undefined => {
    if (wrong?.field === point) return wrong.message;
    return fault?.field === SUBJECT + point ? subjectSentence(fault.sentence, dataPoints) : undefined;
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    try {
      const credentialSubject = subjectOf(dataPoints, typed);
      const input = { issuerDid: issuer.issuerDid, credentialId, email, credentialSubject, onDuplicate };
      void run({ input: { ...input, idempotencyKey: key } }).then((done) => done && draft.reset(draft.value));
    } catch (error) {
      if (error instanceof FieldFault) setWrong(error);
    }
  };
  return (
    <form onSubmit={submit}>
      <h2>
        <Name text={name} /> from <Name text={issuer.name} />
      </h2>
      <Recipient email={email} set={(text) => change({ email: text })} />
      <SubjectForm
        points={dataPoints}
        typed={typed}
        set={(point, value) => change({ typed: { ...typed, [point]: value } })}
        faultOf={faultOf}
      />
      <Duplicate value={onDuplicate} set={(choice) => change({ onDuplicate: choice })} />
      <button type="submit" class="main" disabled={isRunning}>
        Issue
      </button>
      <Said fault={fault && { ...fault, sentence: subjectSentence(fault.sentence, dataPoints) }}>
        {data && (
          <>
            It is issued; the hash of its claim is <code>{data.issueOnBehalf.issuance.coreClaimHash}</code>.{' '}
            <Link href="/partner/issuances">All issuances</Link>
          </>
        )}
      </Said>
    </form>
  );
}

function Recipient({ email, set }: { email: string; set(email: string): void }) {
  return (
    <div class="field">
      <label>
        E-mail address of the recipient
        <input
          type="email"
          required
          maxLength={254}
          autocomplete="off"
          value={email}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      </label>
    </div>
  );
}

function Duplicate({ value, set }: { value: OnDuplicate; set(value: OnDuplicate): void }) {
  return (
    <div class="field">
      <label>
        If the recipient has one already
        <select value={value} onChange={({ currentTarget }) => set(currentTarget.value as OnDuplicate)}>
          <option value="IGNORE">keep it</option>
          <option value="REVOKE">revoke it, and issue this one</option>
        </select>
      </label>
    </div>
  );
}
