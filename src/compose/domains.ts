// The domains, in order of their dependencies: each has one file that lists its parts, and one line here.
import 'reflect-metadata';
import type { Connection } from 'mongoose';
import { accountsDomain } from '../accounts/domain.js';
import { auditDomain } from '../audit/domain.js';
import type { Worker } from '../base/concurrency/worker.js';
import type { PartCheck } from '../base/monitoring/problems.js';
import { catalogDomain } from '../catalog/domain.js';
import { certificatesDomain } from '../certificates/domain.js';
import { chainDomain } from '../chain/domain.js';
import { erasureDomain } from '../erasure/domain.js';
import { eventsDomain } from '../events/domain.js';
import { operationResolvers } from '../graphql/shapes/operation-resolver.js';
import { holdersDomain } from '../holders/domain.js';
import type { Clients } from '../http/callers/clients.js';
import type { ProtocolRoute } from '../http/protocols/protocol-routes.js';
import type { Operation } from '../http/routes/operation.js';
import { operationRoutes } from '../http/routes/operation-routes.js';
import type { AnyRoute } from '../http/routes/route.js';
import { issuanceDomain } from '../issuance/domain.js';
import { keyModels } from '../keys/models.js';
import type { SealedField } from '../keys/sealed-field.js';
import { openid4vciDomain } from '../openid4vci/domain.js';
import { operatorsDomain } from '../operators/domain.js';
import { partnersDomain } from '../partners/domain.js';
import { storageDomain } from '../storage/domain.js';
import { type MigrateOptions, migrate } from '../store/connection.js';
import { idempotencyModels } from '../store/idempotency.js';
import { leaseModels } from '../store/lease.js';
import { processLeaseModels } from '../store/process-rows.js';
import { rateModel } from '../store/rate-limits.js';
import { writeTrialModels } from '../store/refused-writes.js';
import { retentionWorker } from '../store/retention.js';
import { updateRows } from '../store/row-updates.js';
import { verificationDomain } from '../verification/domain.js';
import { webhooksDomain } from '../webhooks/domain.js';
import { whyDomain } from '../why/domain.js';
import type { Services } from './context.js';
import type { Core, Domain } from './domain.js';
import { rotationWorkers } from './keystore-rotation.js';

const PARTS = [
  operatorsDomain,
  partnersDomain,
  catalogDomain,
  certificatesDomain,
  chainDomain,
  holdersDomain,
  accountsDomain,
  storageDomain,
  issuanceDomain,
  openid4vciDomain,
  verificationDomain,
  whyDomain,
  eventsDomain,
  webhooksDomain,
  auditDomain,
  erasureDomain,
] as const;

type ServicesOf<D> = D extends { services(core: Core, others: never): infer S } ? S : never;
type All<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;
/** The services of every domain. */
export type DomainServices = All<ServicesOf<(typeof PARTS)[number]>>;

type MembersOf<D> = D extends unknown ? keyof D : never;
/** Members of domains that nothing would read; the compiler names them. */
type Unread = Exclude<MembersOf<(typeof PARTS)[number]>, keyof Domain<Services>>;

const DOMAINS: [Unread] extends [never] ? readonly Domain<Services>[] : Unread = PARTS;

/** Creates every domain's services, in order. */
export function domainServices<S extends object>(core: Core, first: S): S & DomainServices {
  const services = { ...first };
  // Each uses the services of those before it.
  for (const domain of DOMAINS) Object.assign(services, domain.services(core, services as S & Services));
  return services as S & DomainServices;
}

/** Every resolver class, and the classes with a special property. */
export const RESOLVERS = {
  all: DOMAINS.flatMap(({ operations = [], resolvers = [] }) => [...operationResolvers(operations), ...resolvers]),
  byLoaders: DOMAINS.flatMap(({ byLoaders = [] }) => byLoaders),
  cacheable: DOMAINS.flatMap(({ cacheable = [] }) => cacheable),
};

/** Every domain's routes. */
export const domainRoutes = (services: Services, clients: Clients): AnyRoute[] =>
  DOMAINS.flatMap(({ operations = [], routes }) => [
    ...operationRoutes(operations, services),
    ...(routes?.(services, clients) ?? []),
  ]);

/** The routes of protocols that others specify. */
export const protocolRoutes = (services: Services): ProtocolRoute[] =>
  DOMAINS.flatMap(({ protocolRoutes: routes }) => routes?.(services) ?? []);

/** Every operation that has one row for GraphQL and REST. */
export const OPERATIONS: readonly Operation[] = DOMAINS.flatMap(({ operations = [] }) => operations);

/** What a start writes before the indexes are built: the row of its process, and the check of KEYSTORE_KEY. */
const OF_STARTS: ReadonlySet<string> = new Set(['processes', 'keystore']);

/** Builds every index, and updates rows of earlier versions. */
export async function migrateAll(connection: Connection, options?: MigrateOptions): Promise<void> {
  const before = await migrate(connection, options);
  const isNew = [...before].every((name) => OF_STARTS.has(name));
  if (!isNew) for (const domain of DOMAINS) await domain.dropIndexes?.(connection);
  const updates = DOMAINS.flatMap(({ rowUpdates = [] }) => rowUpdates);
  await updateRows(connection, updates, isNew);
}

/** Every sealed field, for a change of KEYSTORE_KEY. */
export const sealedFields = (connection: Connection): SealedField[] => [
  { model: keyModels(connection).signingKeys, field: 'sealedPrivateKey', what: 'signing-key', name: 'signing keys' },
  { model: keyModels(connection).zkKeys, field: 'sealedSecretKey', what: 'zk-key', name: 'BBS keys of issuers' },
  ...DOMAINS.flatMap(({ sealed }) => sealed?.(connection) ?? []),
];

/** The elected process that applies changed retention settings to existing rows. */
const retention = ({ connection, config, elections }: Core): Worker =>
  retentionWorker(
    elections,
    DOMAINS.flatMap(({ retained }) => retained?.(connection, config.retention) ?? []),
  );

/** The worker that changes KEYSTORE_KEY; does nothing without KEYSTORE_KEY_PREVIOUS. */
const rotation = ({ connection, elections, processLease, box, clock, onError }: Core): Worker[] => {
  const fields = sealedFields(connection);
  return rotationWorkers({ connection, elections, processLease, box, fields, clock, onError });
};

/** Every background worker. */
export const domainWorkers = (core: Core, services: Services): Worker[] => [
  retention(core),
  ...rotation(core),
  ...DOMAINS.flatMap(({ workers }) => workers?.(core, services) ?? []),
];

/** Every domain's checks of its parts. */
export const domainPartChecks = (core: Core, services: Services): PartCheck[] =>
  DOMAINS.flatMap(({ partChecks }) => partChecks?.(core, services) ?? []);

/** Registers every collection, so that `migrate` can build the indexes. */
export function registerModels(connection: Connection): void {
  for (const register of [idempotencyModels, keyModels, leaseModels, processLeaseModels, rateModel, writeTrialModels])
    register(connection);
  for (const { models } of DOMAINS) models(connection);
}
