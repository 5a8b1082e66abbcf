// A program: which credentials it accepts, under which conditions, and whether the ticked credentials can meet them.
import { Link, useSearch } from 'wouter-preact';
import { PlanDocument, ProgramPageDocument, type ProgramPageQuery } from '../api/generated/graphql.js';
import { useView } from '../api/use-view.js';
import { ConditionWords } from '../parts/condition.js';
import { Shown } from '../parts/shown.js';
import { counted, Day, Name, number, Text } from '../parts/text.js';
import { pathOf } from './address.js';
import { EntryPage, Facts, OriginOf } from './entry.js';
import { PLAN_WORDS, STATE_WORDS, whyWords } from './plan-words.js';
import { SeriesView, useSeriesRange } from './series.js';

type Program = NonNullable<ProgramPageQuery['program']>;
type Accepted = Program['acceptedCredentials'][number];

export function ProgramPage() {
  const range = useSeriesRange();
  return (
    <EntryPage
      kind="programs"
      document={ProgramPageDocument}
      variables={range}
      entryOf={({ program }) => program}
      titleOf={({ name }) => name}
    >
      {(program) => <ProgramView program={program} />}
    </EntryPage>
  );
}

function ProgramView({ program }: { program: Program }) {
  const { programId, description, acceptedCredentials, traction, origin } = program;
  const holding = new URLSearchParams(useSearch()).getAll('holding');
  return (
    <>
      {description !== '' && (
        <p>
          <Text text={description} limit={600} />
        </p>
      )}
      <ProgramFacts program={program} />
      <OriginOf origin={origin} />
      {holding.length > 0 && <PlanOf programId={programId} holding={holding} accepted={acceptedCredentials} />}
      <section aria-labelledby="accepts">
        <h2 id="accepts">Accepts any one of {counted(acceptedCredentials.length, 'credential')}</h2>
        <ul class="lines">
          {acceptedCredentials.map((accepted) => (
            <AcceptedCredential
              key={accepted.credential.credentialId}
              accepted={accepted}
              unprovable={program.unprovable}
            />
          ))}
        </ul>
      </section>
      <section aria-labelledby="traction">
        <h2 id="traction">Over time</h2>
        <SeriesView
          buckets={traction.series.map(({ from, to, holders, verified }) => ({
            from,
            to,
            values: [holders, verified],
          }))}
          names={['Holders verified for the first time', 'Verifications']}
        />
      </section>
    </>
  );
}

function ProgramFacts({ program }: { program: Program }) {
  const { verifier, pricingModel, traction, provable, createdAt, programId } = program;
  return (
    <Facts
      facts={{
        Verifier: (
          <Link href={pathOf('verifiers', verifier.verifierId)}>
            <Name text={verifier.name} />
          </Link>
        ),
        Pricing: <Text text={pricingModel} />,
        Verifications: number(traction.verificationCount),
        'Verified holders': number(traction.verifiedHolderCount),
        Proofs: provable ? 'every condition can be proven in zero knowledge' : 'not every condition can be proven',
        'In the catalog since': <Day time={createdAt} />,
        Id: (
          <code>
            <Text text={programId} />
          </code>
        ),
        'DID of the verifier': (
          <code>
            <Text text={verifier.verifierDid} />
          </code>
        ),
      }}
    />
  );
}

function AcceptedCredential({ accepted, unprovable }: { accepted: Accepted; unprovable: Program['unprovable'] }) {
  const { credential, conditions, verificationConditions } = accepted;
  const { credentialId, name, issuer, traction, dataPoints } = credential;
  const reasons = unprovable.filter((one) => one.credentialId === credentialId);
  return (
    <li>
      <Link href={pathOf('credentials', credentialId)}>
        <Name text={name} />
      </Link>{' '}
      <span class="quiet">
        from{' '}
        <Link href={pathOf('issuers', issuer.issuerId)}>
          <Name text={issuer.name} />
        </Link>
        , {counted(traction.holderCount, 'holder')}
      </span>
      {verificationConditions.length === 0 && <p>Without conditions: it is enough to hold it.</p>}
      {verificationConditions.length > 0 && (
        <ul>
          {verificationConditions.map((text, index) => {
            const condition = conditions?.[index];
            return (
              <li key={text}>
                {condition ? (
                  <ConditionWords condition={condition} points={dataPoints} />
                ) : (
                  <code>
                    <Text text={text} />
                  </code>
                )}
              </li>
            );
          })}
        </ul>
      )}
      {reasons.map(({ condition, why }) => (
        <p key={`${condition}${why}`} class="fault">
          {condition ? (
            <>
              <code>
                <Text text={condition} />
              </code>{' '}
              cannot be proven: {whyWords(why)}.
            </>
          ) : (
            <>Nothing of this credential can be proven: {whyWords(why)}.</>
          )}
        </p>
      ))}
    </li>
  );
}

interface PlanOfProps {
  programId: string;
  holding: string[];
  accepted: readonly Accepted[];
}

function PlanOf({ programId, holding, accepted }: PlanOfProps) {
  const view = useView(PlanDocument, { programId, holding });
  const nameOf = (id: string): string =>
    accepted.find(({ credential }) => credential.credentialId === id)?.credential.name ?? id;
  return (
    <section aria-labelledby="plan">
      <h2 id="plan">With {counted(holding.length, 'ticked credential')}</h2>
      <Shown view={view}>
        {({ verificationPlan: { result, credentials } }) => (
          <>
            <p class="verdict" data-result={result}>
              {PLAN_WORDS[result]}
            </p>
            <ul class="lines">
              {credentials.map(({ credentialId, state, obtainable }) => (
                <li key={credentialId}>
                  <Name text={nameOf(credentialId)} />: {STATE_WORDS[state]}
                  {state === 'NOT_HELD' && (obtainable ? ', but it can be had now' : ', and it is not issued now')}.
                </li>
              ))}
            </ul>
          </>
        )}
      </Shown>
    </section>
  );
}
