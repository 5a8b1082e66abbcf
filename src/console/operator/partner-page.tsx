// One partner, and a form with the fields that operators may change. If somebody else has changed it meanwhile, both
// versions are shown, field by field.
import { useState } from 'preact/hooks';
import {
  type PartnerFactsFragment,
  PartnerPageDocument,
  type PutPartnerInput,
  SavePartnerDocument,
} from '../api/generated/graphql.js';
import { useAction } from '../api/use-action.js';
import { useView } from '../api/use-view.js';
import { Facts } from '../catalog/entry.js';
import { QueryOf } from '../parts/query.js';
import { Said } from '../parts/said.js';
import { Shown } from '../parts/shown.js';
import { Day, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';
import { ConflictView } from './conflict.js';

export function PartnerPage({ id, isAll }: { id: string; isAll: boolean }) {
  const variables = { id };
  const view = useView(PartnerPageDocument, variables);
  return (
    <>
      <Shown view={view}>
        {({ partner }) => (
          <>
            <Title text={partner.name} />
            <Facts
              facts={{
                Id: <code>{partner.partnerId}</code>,
                'Keys at': partner.jwksUri && <Text text={partner.jwksUri} />,
                'Problem of its keys': partner.keySetProblem && <Text text={partner.keySetProblem} />,
                Changed: <Day time={partner.updatedAt} />,
                'Wallet in pages of': (
                  <code>
                    <Text text={`frame-ancestors ${partner.allowedOrigins.join(' ') || "'none'"}`} />
                  </code>
                ),
              }}
            />
            {isAll && <PartnerForm partner={partner} reload={view.reload} />}
          </>
        )}
      </Shown>
      <QueryOf document={PartnerPageDocument} variables={variables} />
    </>
  );
}

/** Members that are lists of texts. They are edited with one text per line. */
const LISTS = {
  allowedOrigins: 'Origins of its pages, one a line',
  issuerDids: 'DIDs of the issuers that it may act for, one a line',
  verifierIds: 'Ids of the verifiers whose programs it may run, one a line; none: all in the sandbox',
} as const;
type ListName = keyof typeof LISTS;

const linesOf = (text: string): string[] => text.split(/\s+/).filter((line) => line !== '');

/** Keeps the record with which it was opened, even if a newer one is read meanwhile, until it has saved its own. */
function PartnerForm({ partner, reload }: { partner: PartnerFactsFragment; reload(): void }) {
  const [base, setBase] = useState(partner);
  const [name, setName] = useState(partner.name);
  const [lists, setLists] = useState<Record<ListName, string>>({
    allowedOrigins: partner.allowedOrigins.join('\n'),
    issuerDids: partner.issuerDids.join('\n'),
    verifierIds: partner.verifierIds.join('\n'),
  });
  const [issueOnBehalf, setIssueOnBehalf] = useState(partner.issueOnBehalf);
  const { run, isRunning, fault, data } = useAction(SavePartnerDocument);
  const own = {
    name,
    issueOnBehalf,
    allowedOrigins: linesOf(lists.allowedOrigins),
    issuerDids: linesOf(lists.issuerDids),
    verifierIds: linesOf(lists.verifierIds),
  };
  const save = async (ifMatch: string): Promise<void> => {
    const saved = await run({ input: inputOf(base, own, ifMatch) });
    if (saved === undefined) return;
    setBase(saved.putPartner.partner);
    reload();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save(base.etag);
      }}
    >
      <div class="field">
        <label>
          Name
          <input type="text" required value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </label>
      </div>
      <Lists lists={lists} set={setLists} />
      <p>
        <label>
          <input
            type="checkbox"
            checked={issueOnBehalf}
            onChange={({ currentTarget }) => setIssueOnBehalf(currentTarget.checked)}
          />{' '}
          It may issue for managed issuers
        </label>
      </p>
      <button type="submit" class="main" disabled={isRunning}>
        Save
      </button>
      <Said fault={fault}>{data && 'It is saved.'}</Said>
      {fault?.code === 'PRECONDITION_FAILED' && (
        <ConflictView partnerId={partner.partnerId} own={own} save={(etag) => void save(etag)} />
      )}
    </form>
  );
}

function Lists({ lists, set }: { lists: Record<ListName, string>; set(lists: Record<ListName, string>): void }) {
  return (
    <>
      {(Object.keys(LISTS) as ListName[]).map((each) => (
        <div key={each} class="field">
          <label>
            {LISTS[each]}
            <textarea
              rows={4}
              value={lists[each]}
              onInput={({ currentTarget }) => set({ ...lists, [each]: currentTarget.value })}
            />
          </label>
        </div>
      ))}
    </>
  );
}

type Own = Pick<PartnerFactsFragment, 'name' | 'issueOnBehalf' | ListName>;

/** The whole record, with the changes made in the form. */
function inputOf(partner: PartnerFactsFragment, own: Own, ifMatch: string): PutPartnerInput {
  const { partnerId, scopes, requireTyp, requireScope, jwksUri, jwks, gasPolicy } = partner;
  const keys = jwksUri === null ? { jwks } : { jwksUri };
  return { partnerId, scopes, requireTyp, requireScope, ...keys, ...(gasPolicy && { gasPolicy }), ...own, ifMatch };
}
