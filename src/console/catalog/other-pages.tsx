// The pages of issuers, schemas and verifiers.
import {
  IssuerPageDocument,
  type IssuerPageQuery,
  SchemaPageDocument,
  type SchemaPageQuery,
  VerifierPageDocument,
} from '../api/generated/graphql.js';
import { DataPoints } from '../parts/data-points.js';
import { counted, Day, number, Text } from '../parts/text.js';
import { idInAddress, pathOf } from './address.js';
import { EntryPage, Facts, OriginOf, useAfter } from './entry.js';
import { CredentialLine, IssuerLine, ProgramLine } from './lines.js';
import { Pager } from './list-page.js';

const afterOf = (after: string | undefined) => (after === undefined ? {} : { after });

export function IssuerPage() {
  return (
    <EntryPage
      kind="issuers"
      document={IssuerPageDocument}
      variables={afterOf(useAfter())}
      entryOf={({ issuer }) => issuer}
      titleOf={({ name }) => name}
    >
      {(issuer) => (
        <>
          <Facts
            facts={{
              Kind: <Text text={issuer.issuerFrom} />,
              Holders: number(issuer.traction.holderCount),
              Issuances: number(issuer.traction.issuanceCount),
              Verifications: number(issuer.traction.verificationCount),
              'In the catalog since': <Day time={issuer.createdAt} />,
              Id: <code>{<Text text={issuer.issuerId} />}</code>,
              DID: <code>{<Text text={issuer.issuerDid} />}</code>,
            }}
          />
          <OriginOf origin={issuer.origin} />
          <Credentials credentials={issuer.credentials} path={pathOf('issuers', idInAddress())} verb="Issues" />
        </>
      )}
    </EntryPage>
  );
}

type CredentialList = NonNullable<IssuerPageQuery['issuer']>['credentials'];

function Credentials({ credentials, path, verb }: { credentials: CredentialList; path: string; verb: string }) {
  return (
    <section aria-labelledby="credentials">
      <h2 id="credentials">
        {verb} {counted(credentials.totalCount, 'credential')}
      </h2>
      <ul class="lines">
        {credentials.nodes.map((node) => (
          <CredentialLine key={node.credentialId} credential={node} />
        ))}
      </ul>
      <Pager path={path} search={location.search} info={credentials.pageInfo} />
    </section>
  );
}

export function SchemaPage() {
  return (
    <EntryPage
      kind="schemas"
      document={SchemaPageDocument}
      variables={afterOf(useAfter())}
      entryOf={({ schema }) => schema}
      titleOf={({ title }) => title}
    >
      {(schema) => <SchemaView schema={schema} />}
    </EntryPage>
  );
}

function SchemaView({ schema }: { schema: NonNullable<SchemaPageQuery['schema']> }) {
  const { description, version, credentialCount, issuerCount, createdAt, schemaId, origin } = schema;
  return (
    <>
      {description !== '' && (
        <p>
          <Text text={description} limit={600} />
        </p>
      )}
      <Facts
        facts={{
          Version: version,
          Credentials: number(credentialCount),
          Issuers: number(issuerCount),
          'In the catalog since': <Day time={createdAt} />,
          Id: <code>{<Text text={schemaId} />}</code>,
        }}
      />
      <OriginOf origin={origin} />
      <section aria-labelledby="fields">
        <h2 id="fields">Its fields</h2>
        <DataPoints points={schema.dataPoints} />
      </section>
      <section aria-labelledby="issuers">
        <h2 id="issuers">Used by {counted(schema.issuers.totalCount, 'issuer')}</h2>
        <ul class="lines">
          {schema.issuers.nodes.map((issuer) => (
            <IssuerLine key={issuer.issuerId} issuer={issuer} />
          ))}
        </ul>
      </section>
      <Credentials credentials={schema.credentials} path={pathOf('schemas', idInAddress())} verb="Carries" />
    </>
  );
}

export function VerifierPage() {
  return (
    <EntryPage
      kind="verifiers"
      document={VerifierPageDocument}
      variables={afterOf(useAfter())}
      entryOf={({ verifier }) => verifier}
      titleOf={({ name }) => name}
    >
      {({ verifierId, verifierDid, createdAt, programs, origin }) => (
        <>
          <Facts
            facts={{
              'In the catalog since': <Day time={createdAt} />,
              Id: <code>{<Text text={verifierId} />}</code>,
              DID: <code>{<Text text={verifierDid} />}</code>,
            }}
          />
          <OriginOf origin={origin} />
          <section aria-labelledby="programs">
            <h2 id="programs">Runs {counted(programs.totalCount, 'program')}</h2>
            <ul class="lines">
              {programs.nodes.map((program) => (
                <ProgramLine key={program.programId} program={program} />
              ))}
            </ul>
            <Pager path={pathOf('verifiers', idInAddress())} search={location.search} info={programs.pageInfo} />
          </section>
        </>
      )}
    </EntryPage>
  );
}
