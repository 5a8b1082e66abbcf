// CAK in GraphQL: the same functions as REST (contract §17).
import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Query, Resolver, registerEnumType } from 'type-graphql';
import type { Caller } from '../../base/callers/caller.js';
import { parseInput } from '../../base/input.js';
import { requireHolder, requirePartner } from '../../base/callers/rights.js';
import { cakBody, cakQuery } from './cak.routes.js';
import type { CakKeys } from './cak.js';
import type { CakCurve } from './public-key.js';

/** Values are REST's. */
export enum CakCurveName {
  SECP256R1 = 'secp256r1',
  SECP256K1 = 'secp256k1',
}
registerEnumType(CakCurveName, {
  name: 'CakCurve',
  description: 'The curve of a CAK key pair.',
  valuesConfig: {
    SECP256R1: { description: 'The curve secp256r1 (NIST P-256).' },
    SECP256K1: { description: 'The curve secp256k1, as Ethereum uses it.' },
  },
});

@InputType({ description: "The public half of a holder's CAK." })
export class RegisterCakInput {
  @Field(() => String, { description: 'For credentials of this issuer.' })
  issuerId: string;

  @Field(() => String, { description: 'For credentials on this schema.' })
  schemaId: string;

  @Field(() => CakCurveName, { description: 'Its curve.' })
  curve: CakCurve;

  @Field(() => String, { description: 'SEC1, compressed, 66 hex digits. The private half stays with the holder.' })
  publicKey: string;
}

@ObjectType('CakKey', { simpleResolvers: true, description: "The public half of a holder's CAK." })
export class CakKeyType {
  @Field(() => String, { description: 'For credentials of this issuer.' })
  issuerId: string;

  @Field(() => String, { description: 'For credentials on this schema.' })
  schemaId: string;

  @Field(() => CakCurveName, { description: 'Its curve.' })
  curve: CakCurve;

  @Field(() => String, { description: 'SEC1, compressed, 66 hex digits.' })
  publicKey: string;
}

@ObjectType({ simpleResolvers: true, description: 'Response of registerCak.' })
export class RegisterCakPayload {
  @Field(() => CakKeyType, { description: 'The key as it is registered now.' })
  cakKey: CakKeyType;
}

interface CakContext {
  caller: Caller;
  services: { cakKeys: CakKeys };
}

@Resolver()
export class CakResolver {
  @Query(() => CakKeyType, { description: "A holder's CAK public key. Partners that may act for the issuer." })
  cakKey(
    @Arg('userId', () => String, { description: 'Which holder.' }) userId: string,
    @Arg('issuerId', () => String, { description: 'Which issuer.' }) issuerId: string,
    @Arg('schemaId', () => String, { description: 'Id of the schema.' }) schemaId: string,
    @Ctx() { caller, services }: CakContext,
  ) {
    const partner = requirePartner(caller, 'cakKey');
    const { userId: holderId, ...place } = parseInput(cakQuery, { userId, issuerId, schemaId });
    return services.cakKeys.find(partner, holderId, place);
  }

  @Mutation(() => RegisterCakPayload, {
    description:
      "Registers the public half of the holder's CAK for an issuer and a schema, in place of an earlier one.",
  })
  async registerCak(
    @Arg('input', () => RegisterCakInput, { description: 'Which key.' }) input: RegisterCakInput,
    @Ctx() { caller, services }: CakContext,
  ) {
    const holder = requireHolder(caller);
    return { cakKey: await services.cakKeys.register(holder, parseInput(cakBody, { ...input })) };
  }
}
