// Apollo Server with type-graphql as they come: nothing switched off, nothing added, DataLoaders answering from memory.
import 'reflect-metadata';
import { ApolloServer } from '@apollo/server';
import fastifyApollo, { fastifyApolloDrainPlugin } from '@as-integrations/fastify';
import Fastify from 'fastify';
import {
  Arg,
  buildSchema,
  Ctx,
  Field,
  FieldResolver,
  InputType,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
  registerEnumType,
} from 'type-graphql';
import { serve } from './listen.js';
import { type Loaders, makeLoaders, type Rows, readRows } from './rows.js';

enum OrderField {
  POPULARITY = 'POPULARITY',
  NAME = 'NAME',
  CREATED = 'CREATED',
}
enum Direction {
  ASC = 'ASC',
  DESC = 'DESC',
}
registerEnumType(OrderField, { name: 'CredentialOrderField' });
registerEnumType(Direction, { name: 'Direction' });

@InputType()
class CredentialOrder {
  @Field(() => OrderField)
  field: OrderField;
  @Field(() => Direction, { nullable: true })
  direction?: Direction;
}

@ObjectType()
class Issuer {
  @Field(() => String)
  issuerId: string;
  @Field(() => String)
  name: string;
  @Field(() => String)
  issuerDid: string;
}

@ObjectType()
class Schema {
  @Field(() => String)
  schemaId: string;
  @Field(() => String)
  title: string;
}

@ObjectType()
class Verifier {
  @Field(() => String)
  verifierId: string;
  @Field(() => String)
  name: string;
}

@ObjectType()
class Traction {
  @Field(() => Int)
  holderCount: number;
  @Field(() => Int)
  issuanceCount: number;
  @Field(() => Int)
  verificationCount: number;
  @Field(() => Int)
  demandCount: number;
}

@ObjectType()
class Program {
  @Field(() => String)
  programId: string;
  @Field(() => String)
  name: string;
  @Field(() => String)
  pricingModel: string;
  verifierId: string;
}

@ObjectType()
class ProgramConnection {
  @Field(() => [Program])
  nodes: Program[];
}

@ObjectType()
class Credential {
  @Field(() => String)
  credentialId: string;
  @Field(() => String)
  name: string;
  @Field(() => String)
  category: string;
  @Field(() => Traction)
  traction: Traction;
  issuerId: string;
  schemaId: string;
}

@ObjectType()
class PageInfo {
  @Field(() => Boolean)
  hasNextPage: boolean;
}

@ObjectType()
class CredentialConnection {
  @Field(() => [Credential])
  nodes: Credential[];
  @Field(() => PageInfo)
  pageInfo: PageInfo;
}

interface Context {
  rows: Rows;
  loaders: Loaders;
}

@Resolver(() => Credential)
class CredentialResolver {
  @Query(() => CredentialConnection)
  credentials(
    @Arg('first', () => Int, { defaultValue: 10 }) first: number,
    @Arg('orderBy', () => CredentialOrder, { nullable: true }) _orderBy: CredentialOrder | undefined,
    @Ctx() { rows }: Context,
  ): CredentialConnection {
    return { nodes: rows.credentials.slice(0, first), pageInfo: { hasNextPage: rows.credentials.length > first } };
  }

  @FieldResolver(() => Issuer)
  issuer(@Root() { issuerId }: Credential, @Ctx() { loaders }: Context) {
    return loaders.issuers.load(issuerId);
  }

  @FieldResolver(() => Schema)
  schema(@Root() { schemaId }: Credential, @Ctx() { loaders }: Context) {
    return loaders.schemas.load(schemaId);
  }

  @FieldResolver(() => ProgramConnection)
  async programs(
    @Root() { credentialId }: Credential,
    @Arg('first', () => Int, { defaultValue: 10 }) first: number,
    @Ctx() { loaders }: Context,
  ): Promise<ProgramConnection> {
    return { nodes: (await loaders.programs.load(credentialId)).slice(0, first) };
  }
}

@Resolver(() => Program)
class ProgramResolver {
  @FieldResolver(() => Verifier)
  verifier(@Root() { verifierId }: Program, @Ctx() { loaders }: Context) {
    return loaders.verifiers.load(verifierId);
  }
}

await serve(Fastify(), async (app, db) => {
  const rows = await readRows(db);
  const schema = await buildSchema({ resolvers: [CredentialResolver, ProgramResolver] });
  const apollo = new ApolloServer<Context>({ schema, plugins: [fastifyApolloDrainPlugin(app)] });
  await apollo.start();
  await app.register(fastifyApollo(apollo), {
    context: async () => ({ rows, loaders: makeLoaders(rows) }),
  });
});
