// Entries as lines of lists. Each links to its page.
import { Link } from 'wouter-preact';
import type { CredentialLineFragment, IssuerLineFragment, ProgramLineFragment } from '../api/generated/graphql.js';
import { counted, Name, Text } from '../parts/text.js';
import { pathOf } from './address.js';
import { TickBox } from './ticks.js';

export function CredentialLine({ credential }: { credential: CredentialLineFragment }) {
  const { credentialId, name, category, issuer, traction } = credential;
  return (
    <li>
      <TickBox id={credentialId} name={name} />
      <Link href={pathOf('credentials', credentialId)}>
        <Name text={name} />
      </Link>{' '}
      <span class="quiet">
        <Name text={category} />, from{' '}
        <Link href={pathOf('issuers', issuer.issuerId)}>
          <Name text={issuer.name} />
        </Link>
      </span>
      <p class="counts">
        Accepted by {counted(traction.demandCount, 'program')} · {counted(traction.holderCount, 'holder')}
      </p>
    </li>
  );
}

export function ProgramLine({ program }: { program: ProgramLineFragment }) {
  const { programId, name, description, pricingModel, credentialCount, verifier, traction } = program;
  return (
    <li>
      <Link href={pathOf('programs', programId)}>
        <Name text={name} />
      </Link>{' '}
      <span class="quiet">
        of{' '}
        <Link href={pathOf('verifiers', verifier.verifierId)}>
          <Name text={verifier.name} />
        </Link>
        , <Name text={pricingModel} />
      </span>
      {description !== '' && (
        <p>
          <Text text={description} />
        </p>
      )}
      <p class="counts">
        Accepts {counted(credentialCount, 'credential')} · {counted(traction.verificationCount, 'verification')}
      </p>
    </li>
  );
}

export function IssuerLine({ issuer }: { issuer: IssuerLineFragment }) {
  const { issuerId, name, issuerFrom, traction } = issuer;
  return (
    <li>
      <Link href={pathOf('issuers', issuerId)}>
        <Name text={name} />
      </Link>{' '}
      <span class="quiet">
        <Name text={issuerFrom} />
      </span>
      <p class="counts">
        {counted(traction.holderCount, 'holder')} · {counted(traction.issuanceCount, 'issuance')}
      </p>
    </li>
  );
}
