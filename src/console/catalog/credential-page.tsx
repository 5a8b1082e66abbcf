// A credential: who issues it, what is in it, which programs accept it, and its traction.
import { Link } from 'wouter-preact';
import { CredentialPageDocument, type CredentialPageQuery } from '../api/generated/graphql.js';
import { useSession } from '../api/session.js';
import { DataPoints } from '../parts/data-points.js';
import { counted, Day, duration, Name, number, Text } from '../parts/text.js';
import { idInAddress, pathOf } from './address.js';
import { EntryPage, Facts, OriginOf, useAfter } from './entry.js';
import { ProgramLine } from './lines.js';
import { Pager } from './list-page.js';
import { SeriesView, useSeriesRange } from './series.js';
import { TickBox } from './ticks.js';

type Credential = NonNullable<CredentialPageQuery['credential']>;

export function CredentialPage() {
  const range = useSeriesRange();
  const after = useAfter();
  return (
    <EntryPage
      kind="credentials"
      document={CredentialPageDocument}
      variables={{ ...range, ...(after !== undefined && { after }) }}
      entryOf={({ credential }) => credential}
      titleOf={({ name }) => name}
    >
      {(credential) => <CredentialView credential={credential} />}
    </EntryPage>
  );
}

function CredentialView({ credential }: { credential: Credential }) {
  const { credentialId, name, dataPoints, traction, programs, opens, origin } = credential;
  const session = useSession();
  return (
    <>
      <p>
        <TickBox id={credentialId} name={name} /> Plan with this credential{' '}
        {session?.kind === 'partner' && (
          <Link href={`/partner/issue?${new URLSearchParams({ credentialId })}`}>Issue it</Link>
        )}
      </p>
      <CredentialFacts credential={credential} />
      <OriginOf origin={origin} />
      <section aria-labelledby="accepted">
        <h2 id="accepted">Accepted by {counted(programs.totalCount, 'program')}</h2>
        {opens.length > 0 && (
          <p>
            This credential alone can meet{' '}
            {opens.map(({ program, unconditional }, index) => (
              <span key={program.programId}>
                {index > 0 && ', '}
                <Link href={pathOf('programs', program.programId)}>
                  <Name text={program.name} />
                </Link>
                {unconditional && ' (whatever its values)'}
              </span>
            ))}
            .
          </p>
        )}
        <ul class="lines">
          {programs.nodes.map((program) => (
            <ProgramLine key={program.programId} program={program} />
          ))}
        </ul>
        <Pager path={pathOf('credentials', idInAddress())} search={location.search} info={programs.pageInfo} />
      </section>
      <section aria-labelledby="fields">
        <h2 id="fields">What is in it</h2>
        <DataPoints points={dataPoints} />
      </section>
      <section aria-labelledby="traction">
        <h2 id="traction">Over time</h2>
        <SeriesView
          buckets={traction.series.map(({ from, to, holders, issued }) => ({ from, to, values: [holders, issued] }))}
          names={['New holders', 'Issuances']}
        />
      </section>
    </>
  );
}

function CredentialFacts({ credential }: { credential: Credential }) {
  const { issuer, schema, schemaVersion, category, traction, cak, createdAt, credentialId } = credential;
  const { expirationDuration, accessibleStart, accessibleEnd, lastIssuedAt } = credential;
  return (
    <Facts
      facts={{
        Issuer: (
          <Link href={pathOf('issuers', issuer.issuerId)}>
            <Name text={issuer.name} />
          </Link>
        ),
        Schema: (
          <>
            <Link href={pathOf('schemas', schema.schemaId)}>
              <Name text={schema.title} />
            </Link>
            , version {schemaVersion}
            {schema.version !== schemaVersion && ` (the newest is ${schema.version})`}
          </>
        ),
        Category: <Text text={category} />,
        Holders: number(traction.holderCount),
        Issuances: number(traction.issuanceCount),
        Verifications: number(traction.verificationCount),
        'Valid for': expirationDuration ? duration(expirationDuration) : 'as long as it is not revoked',
        'Issued from': accessibleStart && <Day time={accessibleStart} />,
        'Issued until': accessibleEnd && <Day time={accessibleEnd} />,
        'Last issued': lastIssuedAt && <Day time={lastIssuedAt} />,
        'Compliance access key': cak && 'verifiers may read it with the holder’s consent',
        'In the catalog since': <Day time={createdAt} />,
        Id: (
          <code>
            <Text text={credentialId} />
          </code>
        ),
        'DID of the issuer': (
          <code>
            <Text text={issuer.issuerDid} />
          </code>
        ),
      }}
    />
  );
}
