// Which rules allow or forbid an operation of the partner, and how to satisfy the first one that forbids it.
import { useState } from 'preact/hooks';
import { type PartnerOperation, WhyDocument, type WhyQueryVariables } from '../api/generated/graphql.js';
import { useView } from '../api/use-view.js';
import { CommittedField } from '../parts/committed-field.js';
import { QueryOf } from '../parts/query.js';
import { Shown } from '../parts/shown.js';
import { Text } from '../parts/text.js';
import { Title } from '../parts/title.js';

const OPERATIONS: Readonly<Partial<Record<PartnerOperation, string>>> = {
  ISSUE_ON_BEHALF: 'Issue a credential',
  ISSUE_ON_BEHALF_BATCH: 'Issue a batch',
  STORE_CREDENTIAL: 'Store a credential that its issuer signed',
  REVOKE_CREDENTIAL: 'Revoke a credential',
  PREVIEW_REVOCATION: 'Revoke by filter',
  START_VERIFICATION: 'Start a verification',
  CHECK_PROOF: 'Check a proof',
  WEBHOOKS: 'Manage webhooks',
  INITIALIZE_USER: 'Resolve a recipient',
  CAK_KEY: 'Read a compliance access key',
};

const FACTS = {
  issuerDid: 'DID of the issuer',
  credentialId: 'Id of the credential',
  userId: 'userId of the holder',
  coreClaimHash: 'Hash of the claim',
  programId: 'Id of the program',
} as const;

const VERDICTS = { ALLOWED: 'allows', FORBIDDEN: 'forbids', UNKNOWN: 'cannot be checked' } as const;

export function WhyPage() {
  const [operation, setOperation] = useState<PartnerOperation>('ISSUE_ON_BEHALF');
  const [facts, setFacts] = useState<Record<string, string>>({});
  const given = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== ''));
  const variables: WhyQueryVariables = { operation, ...given };
  const view = useView(WhyDocument, variables);
  return (
    <>
      <Title text="Why an operation is refused" />
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          Operation
          <select
            value={operation}
            onChange={({ currentTarget }) => setOperation(currentTarget.value as PartnerOperation)}
          >
            {Object.entries(OPERATIONS).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {Object.entries(FACTS).map(([name, label]) => (
          <CommittedField
            key={name}
            label={label}
            value={facts[name] ?? ''}
            commit={(text) => setFacts((before) => ({ ...before, [name]: text }))}
          />
        ))}
      </form>
      <Shown view={view}>
        {({ why: { verdict, sentence, checks } }) => {
          const first = checks.find((check) => check.verdict === 'FORBIDDEN');
          return (
            <>
              <p class="verdict" data-result={verdict}>
                <strong>{sentence}</strong> {first?.mend && <Text text={first.mend} />}
              </p>
              <ol class="lines">
                {checks.map((check) => (
                  <li key={check.rule} class={check.verdict === 'FORBIDDEN' ? 'fault' : undefined}>
                    <code>{check.rule}</code> {VERDICTS[check.verdict]}: <Text text={check.sentence} />
                  </li>
                ))}
              </ol>
            </>
          );
        }}
      </Shown>
      <QueryOf document={WhyDocument} variables={variables} />
    </>
  );
}
