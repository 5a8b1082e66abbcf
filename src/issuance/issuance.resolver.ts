// Storage and issuance in GraphQL: the same functions as REST (contract §4, §5).

import { Arg, Args, Ctx, Extensions, Mutation, Query, Resolver } from 'type-graphql';
import type { Caller } from '../base/callers/caller.js';
import { badInput } from '../base/errors.js';
import { parseInput } from '../base/input.js';
import { requireHolder, requirePartner } from '../base/callers/rights.js';
import { inputType } from '../graphql/shapes/from-zod.js';
import { parseArgs } from '../graphql/shapes/parse-args.js';
import { connectionOf } from '../graphql/shapes/relay.js';
import { storeBody } from '../storage/storage.service.js';
import type { Idempotency } from '../store/idempotency.js';
import { batchResolvers } from './batches/batch.resolver.js';
import type { DirectIssuance } from './direct.js';
import type { IssuanceService } from './issuance.js';
import type { IssuerHosted } from './issuer-hosted.js';
import { type IssuanceWhere, issuanceWhere } from './list-filter.js';
import type { IssuanceList } from './list.service.js';
import { issueBody } from './request.js';
import type { RevocationService } from './revocation.js';
import type { StatusService } from './status.service.js';
import {
  AvailableCredentials,
  CredentialStatusType,
  ForwardPageArgs,
  Issuance,
  IssueOnBehalfInput,
  IssueOnBehalfPayload,
  RevokeCredentialInput,
  RevokeCredentialPayload,
  StoreCredentialInput,
  StoreCredentialPayload,
} from './types.js';

interface IssuanceContext {
  caller: Caller;
  services: {
    direct: DirectIssuance;
    issuance: IssuanceService;
    issuances: IssuanceList;
    issuerHosted: IssuerHosted;
    revocation: RevocationService;
    status: StatusService;
    idempotency: Idempotency;
  };
}

const IssuanceWhereInput = inputType(issuanceWhere);
const IssuancePage = connectionOf('Issuance', 'issuances', () => Issuance);

/** An input as the body of a REST request: times as text, without missing members. */
function bodyOf(input: object): Record<string, unknown> {
  const members = Object.entries(input).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    members.map(([field, value]) => [field, value instanceof Date ? value.toISOString() : value]),
  );
}

@Resolver()
export class IssuanceResolver {
  @Query(() => CredentialStatusType, {
    nullable: true,
    description: 'The public status of an issuance; null when there is none with this hash.',
  })
  async credentialStatus(
    @Arg('coreClaimHash', () => String, { description: 'Hash of the claim.' }) hash: string,
    @Ctx() { services }: IssuanceContext,
  ) {
    return services.status.find(hash);
  }

  // Its total is counted each time.
  @Extensions({ counted: true })
  @Query(() => IssuancePage.Connection, {
    description: 'Issuances, newest first. Partners and holders get their own, the operator all.',
  })
  issuances(
    @Args(() => ForwardPageArgs) page: ForwardPageArgs,
    @Arg('where', () => IssuanceWhereInput, { nullable: true, description: 'A filter; default: all.' })
    where: IssuanceWhere | null,
    @Ctx() { services, caller }: IssuanceContext,
  ) {
    return services.issuances.page(caller, { ...page, where: where && parseArgs(issuanceWhere, where) });
  }

  @Query(() => AvailableCredentials, {
    description: 'Credentials that issuers offer to the holder. Needs a session token.',
  })
  availableCredentials(
    @Arg('issuerId', () => String, { nullable: true, description: 'Only of this issuer.' }) issuerId: string | null,
    @Arg('schemaId', () => String, { nullable: true, description: 'Only on this schema.' }) schemaId: string | null,
    @Ctx() { services, caller }: IssuanceContext,
  ) {
    return services.issuerHosted.available(requireHolder(caller), {
      issuerId: issuerId ?? undefined,
      schemaId: schemaId ?? undefined,
    });
  }

  @Mutation(() => IssueOnBehalfPayload, {
    description:
      'Issues a credential for a managed issuer, encrypted to its holder. For partners with the scope issue.',
  })
  async issueOnBehalf(
    @Arg('input', () => IssueOnBehalfInput, { description: 'What to issue.' }) input: IssueOnBehalfInput,
    @Ctx() { services, caller }: IssuanceContext,
  ) {
    requirePartner(caller, 'issueOnBehalf');
    const { idempotencyKey, ...members } = input;
    const body = parseInput(issueBody, bodyOf(members));
    const call = { caller, route: 'issue-on-behalf', key: idempotencyKey ?? undefined, body };
    const issuance = await services.idempotency.run(call, (remember) =>
      services.issuance.issueOnBehalf(requirePartner(caller), body, { record: remember }),
    );
    return { issuance };
  }

  @Mutation(() => StoreCredentialPayload, {
    description:
      'Stores a credential that its issuer signed and encrypted to the holder. For partners with the scope issue.',
  })
  async storeCredential(
    @Arg('input', () => StoreCredentialInput, { description: 'The package to store.' }) input: StoreCredentialInput,
    @Ctx() { services, caller }: IssuanceContext,
  ) {
    requirePartner(caller, 'storeCredential');
    const { idempotencyKey, ...members } = input;
    const claim = members.claim ? { claim: bodyOf(members.claim) } : {};
    const body = parseInput(storeBody, { expiresAt: null, ...bodyOf(members), ...claim });
    const { externalId, ...package_ } = body;
    const call = { caller, route: 'dstorage/vcs', key: idempotencyKey ?? undefined, body };
    return {
      stored: await services.idempotency.run(call, () =>
        services.direct.store(requirePartner(caller), package_, externalId),
      ),
    };
  }

  @Mutation(() => RevokeCredentialPayload, {
    description:
      'Revokes an issuance. It cannot be undone. Partners with the scope issue can revoke their own, the operator any.',
  })
  revokeCredential(
    @Arg('input', () => RevokeCredentialInput, { description: 'The issuance to revoke.' }) input: RevokeCredentialInput,
    @Ctx() { services, caller }: IssuanceContext,
  ) {
    if (caller.kind !== 'operator') requirePartner(caller, 'revokeCredential');
    const { coreClaimHash, nonce } = input;
    if (typeof coreClaimHash === 'string') return services.revocation.revoke(caller, { coreClaimHash });
    if (typeof nonce === 'string' && caller.kind === 'operator') return services.revocation.revoke(caller, { nonce });
    throw badInput('Give "coreClaimHash" (operators may give "nonce").', 'coreClaimHash');
  }
}

export const issuanceResolvers = [IssuanceResolver, IssuancePage.ConnectionResolver, ...batchResolvers] as const;
