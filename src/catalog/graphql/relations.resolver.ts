// Relations between catalog objects. Each goes through a loader, so a whole level of a query is one command.
import { Args, Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import { after, all, type MaybePromise } from '../../base/concurrency/maybe-promise.js';
import { argsType } from '../../graphql/shapes/from-zod.js';
import { type PageArgs, pageArgs } from '../../graphql/shapes/relay.js';
import type { CatalogLoaders } from '../reading/loaders.js';
import { type Askability, askabilityOf } from '../records/askability.js';
import { type Acceptance, type Provability, provabilityOf, unprovableConditions } from '../records/provability.js';
import type { AcceptedCredential as StoredAcceptance } from '../rows/rows.js';
import { CredentialPage, IssuerPage, ProgramPage } from './connections.js';
import { CredentialArgs, type OrderedArgs, ProgramArgs } from './inputs.js';
import type { RowContext } from './resolver-context.js';
import {
  AcceptedCredential,
  Credential,
  DataPoint,
  Issuer,
  Program,
  ProgramOpening,
  Schema,
  UnaskableCondition,
  UnprovableCondition,
  Verifier,
} from '../records/types.js';

/** The most programs that `opens` examines. */
const MAX_OPENINGS = 25;
const MAX_POPULAR = { first: MAX_OPENINGS };

const RelationArgs = argsType(pageArgs);

@Resolver(() => Credential)
export class CredentialResolver {
  @FieldResolver(() => Issuer, { description: 'Its issuer.' })
  issuer(@Root() { issuerId }: Credential, @Ctx() { loaders }: RowContext) {
    return loaders.catalog.issuers.load(issuerId);
  }

  @FieldResolver(() => Schema, { description: 'The schema it is built on.' })
  schema(@Root() { schemaId }: Credential, @Ctx() { loaders }: RowContext) {
    return loaders.catalog.schemas.load(schemaId);
  }

  @FieldResolver(() => [DataPoint], { description: 'The data points of the schema version that it is issued under.' })
  dataPoints(@Root() { schemaId, schemaVersion }: Credential, @Ctx() { loaders }: RowContext) {
    return loaders.catalog.dataPoints.load({ schemaId, version: schemaVersion });
  }

  @FieldResolver(() => String, {
    description:
      'The type of its form for wallets: its `vct`, by default the address /vct/<credentialId> of this gateway.',
  })
  vct(@Root() credential: Credential, @Ctx() { loaders }: RowContext): string {
    return loaders.catalog.vctOf(credential);
  }

  @Extensions({ relation: 'credentialPrograms' })
  @FieldResolver(() => ProgramPage.Connection, { description: 'Programs that accept it.' })
  programs(
    @Root() { credentialId, traction }: Credential,
    @Args(() => ProgramArgs.Relation) args: OrderedArgs,
    @Ctx() { loaders }: RowContext,
  ) {
    const parent = { id: credentialId, total: traction.demandCount };
    return loaders.catalog.related('credentialPrograms', parent, args);
  }

  @Extensions({ size: MAX_OPENINGS })
  @FieldResolver(() => [ProgramOpening], {
    description: 'Of the 25 most popular programs that accept it, those that this credential alone can meet.',
  })
  opens(@Root() credential: Credential, @Ctx() { loaders }: RowContext): MaybePromise<ProgramOpening[]> {
    const { credentialId, traction } = credential;
    const parent = { id: credentialId, total: traction.demandCount };
    return after(loaders.catalog.related('credentialPrograms', parent, MAX_POPULAR), ({ nodes }) =>
      after(all(nodes.map((program) => openingOf(program, credential, loaders.catalog))), (openings) =>
        openings.filter((opening) => opening !== null),
      ),
    );
  }
}

/** Null for a program whose conditions cannot be proven of the credential. */
function openingOf(
  program: Program,
  credential: Credential,
  loaders: CatalogLoaders,
): MaybePromise<ProgramOpening | null> {
  return after(loaders.acceptedCredentials.load(program.programId), (accepted) => {
    const stored = accepted.find(({ credentialId }) => credentialId === credential.credentialId);
    if (stored === undefined) return null;
    return after(acceptanceOf(stored, credential, loaders), (acceptance) => {
      if (unprovableConditions(acceptance, loaders.now()).length > 0) return null;
      return { program, unconditional: stored.verificationConditions.length === 0 };
    });
  });
}

@Resolver(() => Issuer)
export class IssuerResolver {
  @Extensions({ relation: 'issuerCredentials' })
  @FieldResolver(() => CredentialPage.Connection, { description: 'Credentials that it issues.' })
  credentials(
    @Root() { issuerId, credentialCount }: Issuer,
    @Args(() => CredentialArgs.Relation) args: OrderedArgs,
    @Ctx() { loaders }: RowContext,
  ) {
    return loaders.catalog.related('issuerCredentials', { id: issuerId, total: credentialCount }, args);
  }
}

@Resolver(() => Schema)
export class SchemaResolver {
  @FieldResolver(() => [DataPoint], { description: 'The data points of its newest version.' })
  dataPoints(@Root() { schemaId, version }: Schema, @Ctx() { loaders }: RowContext) {
    return loaders.catalog.dataPoints.load({ schemaId, version });
  }

  @Extensions({ relation: 'schemaCredentials' })
  @FieldResolver(() => CredentialPage.Connection, { description: 'Credentials built on it.' })
  credentials(
    @Root() { schemaId, credentialCount }: Schema,
    @Args(() => CredentialArgs.Relation) args: OrderedArgs,
    @Ctx() { loaders }: RowContext,
  ) {
    return loaders.catalog.related('schemaCredentials', { id: schemaId, total: credentialCount }, args);
  }

  @Extensions({ relation: 'schemaIssuers' })
  @FieldResolver(() => IssuerPage.Connection, {
    description: 'Issuers that have credentials on it, those with the most credentials first.',
  })
  issuers(
    @Root() { schemaId, issuerCount }: Schema,
    @Args(() => RelationArgs) page: PageArgs,
    @Ctx() { loaders }: RowContext,
  ) {
    return loaders.catalog.schemaIssuers({ id: schemaId, total: issuerCount }, page);
  }
}

@Resolver(() => Verifier)
export class VerifierResolver {
  @Extensions({ relation: 'verifierPrograms' })
  @FieldResolver(() => ProgramPage.Connection, { description: 'Programs that it runs.' })
  programs(
    @Root() { verifierId, programCount }: Verifier,
    @Args(() => ProgramArgs.Relation) args: OrderedArgs,
    @Ctx() { loaders }: RowContext,
  ) {
    return loaders.catalog.related('verifierPrograms', { id: verifierId, total: programCount }, args);
  }
}

@Resolver(() => Program)
export class ProgramResolver {
  @FieldResolver(() => Verifier, { description: 'Its verifier.' })
  verifier(@Root() { verifierId }: Program, @Ctx() { loaders }: RowContext) {
    return loaders.catalog.verifiers.load(verifierId);
  }

  @FieldResolver(() => [AcceptedCredential], {
    description: 'The credentials that it accepts; any one of them is enough. Retired ones are left out.',
  })
  acceptedCredentials(
    @Root() { programId }: Program,
    @Ctx() { loaders }: RowContext,
  ): MaybePromise<AcceptedCredential[]> {
    return after(loaders.catalog.acceptedCredentials.load(programId), (accepted) => {
      const credentials = all(accepted.map(({ credentialId }) => loaders.catalog.credentials.load(credentialId)));
      return after(credentials, (nodes) =>
        accepted.flatMap((acceptance, at) => {
          const credential = nodes[at];
          return credential ? [{ ...acceptance, credential }] : [];
        }),
      );
    });
  }

  @FieldResolver(() => Boolean, { description: 'Whether any of its accepted credentials can be proven.' })
  provable(@Root() { programId }: Program, @Ctx() { loaders }: RowContext): MaybePromise<boolean> {
    return after(provability(programId, loaders.catalog), ({ provable }) => provable);
  }

  @FieldResolver(() => [UnprovableCondition], { description: 'Its conditions that cannot be proven, and why.' })
  unprovable(@Root() { programId }: Program, @Ctx() { loaders }: RowContext): MaybePromise<UnprovableCondition[]> {
    return after(provability(programId, loaders.catalog), ({ unprovable }) => unprovable);
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether wallets of others can be asked for any of its accepted credentials.',
  })
  askable(@Root() program: Program, @Ctx() { loaders }: RowContext): MaybePromise<boolean> {
    return after(askability(program, loaders.catalog), ({ askable }) => askable);
  }

  @FieldResolver(() => [UnaskableCondition], {
    description: 'Its conditions that wallets of others cannot be asked about, and why.',
  })
  unaskable(@Root() program: Program, @Ctx() { loaders }: RowContext): MaybePromise<UnaskableCondition[]> {
    return after(askability(program, loaders.catalog), ({ unaskable }) => unaskable);
  }
}

function provability(programId: string, loaders: CatalogLoaders): MaybePromise<Provability> {
  const acceptances = accepted(programId, loaders, (stored, credential) => acceptanceOf(stored, credential, loaders));
  return after(acceptances, (rows) => provabilityOf(rows, loaders.now()));
}

function askability({ programId, disclose }: Program, loaders: CatalogLoaders): MaybePromise<Askability> {
  const acceptances = accepted(programId, loaders, (stored, credential) => {
    const { issuerId, schemaId, schemaVersion: version, derived, ownVct } = credential;
    const hasVct = ownVct !== undefined;
    const [points, issuer] = [loaders.dataPoints.load({ schemaId, version }), loaders.issuers.load(issuerId)];
    return after(points, (dataPoints) =>
      after(issuer, (row) => ({ ...stored, dataPoints, derived, hasVct, trust: row?.walletTrust ?? 'none' })),
    );
  });
  return after(acceptances, (rows) => askabilityOf(rows, disclose, loaders.now()));
}

/** What a function returns for the live credentials that a program accepts. */
function accepted<T>(
  programId: string,
  loaders: CatalogLoaders,
  of: (stored: StoredAcceptance, credential: Credential) => MaybePromise<T>,
): MaybePromise<T[]> {
  return after(loaders.acceptedCredentials.load(programId), (acceptances) => {
    const each = acceptances.map((stored) =>
      after(loaders.credentials.load(stored.credentialId), (credential): MaybePromise<T | null> => {
        return credential && of(stored, credential);
      }),
    );
    return after(all(each), (rows) => rows.filter((row) => row !== null));
  });
}

/** The members of an accepted credential on which its provability depends. */
function acceptanceOf(
  stored: StoredAcceptance,
  { issuerId, schemaId, schemaVersion: version, provable }: Credential,
  loaders: CatalogLoaders,
): MaybePromise<Acceptance> {
  const [points, issuer] = [loaders.dataPoints.load({ schemaId, version }), loaders.issuers.load(issuerId)];
  return after(points, (dataPoints) =>
    after(issuer, (row) => ({ ...stored, dataPoints, provable, hasKeys: row?.hasZkKeys ?? false })),
  );
}
