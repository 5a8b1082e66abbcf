// The parts of the issuance domain.
import type { Connection } from 'mongoose';
import type { Worker } from '../base/concurrency/worker.js';
import type { Retention } from '../base/config/retention-config.js';
import type { SchemaImpacts } from '../catalog/admin/schema-impact.service.js';
import type { DocumentChecks } from '../catalog/json-schema/document-checks.service.js';
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import type { Certificates } from '../certificates/certificates.service.js';
import type { Anchors } from '../chain/anchors.service.js';
import type { Core } from '../compose/domain.js';
import type { Holders } from '../holders/holders.service.js';
import type { SecondFactor } from '../holders/second-factor.service.js';
import type { SealedField } from '../keys/sealed-field.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { StorageService } from '../storage/storage.service.js';
import type { RetentionRule } from '../store/retention.js';
import { anchorSources, QUEUED_FOR_ANCHORS } from './anchoring.js';
import { batchResolvers } from './batches/batch.resolver.js';
import { batchCheck } from './batches/batch-check.js';
import { Batches } from './batches/batches.service.js';
import { batchModels } from './batches/models.js';
import { batchOperations } from './batches/operations.js';
import { BatchRows } from './batches/rows.js';
import { BatchWorker } from './batches/worker.js';
import { CakKeys } from './cak/cak.js';
import { cakModels } from './cak/models.js';
import { cakOperations } from './cak/operations.js';
import { DirectIssuance } from './direct.service.js';
import { EndedCounts } from './ended-counts.js';
import { expiryWorker } from './expiry.js';
import { IssuanceExplainer } from './explain.service.js';
import { issuanceEraser } from './forget.js';
import { Holdings } from './holdings.service.js';
import { dropReplacedIndexes } from './indexes.js';
import { issuanceRoutes } from './issuance.routes.js';
import { IssuanceService } from './issuance.service.js';
import { IssuanceCommits } from './issue-transaction.js';
import { IssuerAnswers } from './issuer-answers.service.js';
import { IssuerCalls } from './issuer-calls.js';
import { IssuerHosted } from './issuer-hosted.js';
import { IssuerLoad } from './issuer-load.js';
import { IssuanceList } from './list.service.js';
import { issuanceModels } from './models.js';
import { issuanceOperations } from './operations.js';
import { outdatedCounter } from './outdated.js';
import { RevocationService } from './revocation.js';
import { RevocationJobs } from './revocations/jobs.service.js';
import { revocationModels } from './revocations/models.js';
import { revocationOperations } from './revocations/operations.js';
import { RevocationPreviews } from './revocations/previews.js';
import { RevocationWorker } from './revocations/worker.js';
import { StatusService } from './status.service.js';
import { StatusLists } from './status-list.js';
import { TermsReader } from './terms.js';
import { termsOperations } from './terms-operations.js';
import { WalletCopies } from './wallets/copies.service.js';
import { TokenLists } from './wallets/token-list.js';

export interface IssuanceServices {
  issuance: IssuanceService;
  issuances: IssuanceList;
  issuanceExplainer: IssuanceExplainer;
  /** Claims, for verification. */
  holdings: Holdings;
  issuerHosted: IssuerHosted;
  /** What issuers answer for wallets. */
  issuerAnswers: IssuerAnswers;
  batches: Batches;
  /** Public keys of holders' CAK key pairs. */
  cakKeys: CakKeys;
  termsReader: TermsReader;
  /** Claims that issuers signed themselves. */
  direct: DirectIssuance;
  batchRows: BatchRows;
  revocation: RevocationService;
  revocationPreviews: RevocationPreviews;
  revocationJobs: RevocationJobs;
  status: StatusService;
  statusLists: StatusLists;
  /** Copies of issuances in wallets, and the lists that say which are revoked. */
  walletCopies: WalletCopies;
  tokenLists: TokenLists;
}

interface EarlierServices {
  partners: PartnerDirectory;
  schemaImpacts: SchemaImpacts;
  certificates: Certificates;
  issuingCatalog: IssuingCatalog;
  documentChecks: DocumentChecks;
  holders: Holders;
  secondFactor: SecondFactor;
  storage: StorageService;
  anchors: Anchors;
}

function issuanceServices(core: Core, earlier: EarlierServices): IssuanceServices {
  const { connection, box, managedIssuers, zkKeys, outbound, publicUrl, appendEvents, recordWrites, clock } = core;
  const { partners, issuingCatalog: catalog, documentChecks, holders, secondFactor, storage, certificates } = earlier;
  const models = { ...issuanceModels(connection), ...revocationModels(connection) };
  const batches = batchModels(connection);
  const batchRows = new BatchRows({ connection, models: batches, box, appendEvents, clock });
  const parts = { connection, models, storage, appendEvents, recordWrites, endedCounts: new EndedCounts(), clock };
  const all = { ...models, ...batches, ...cakModels(connection) };
  core.erasers.add(issuanceEraser({ connection, models: all, batchRows }));
  earlier.anchors.add(anchorSources(parts));
  earlier.schemaImpacts.countBy(outdatedCounter(models));
  const issuances = new IssuanceList(models, clock);
  const people = { catalog, partners, holders };
  const issuing = { ...parts, ...people, commits: new IssuanceCommits(parts) };
  const load = new IssuerLoad(core.points);
  const calls = new IssuerCalls(outbound, box, load);
  const cakKeys = new CakKeys({ models: cakModels(connection), catalog, partners, secondFactor, clock });
  return {
    issuance: new IssuanceService({ ...issuing, managedIssuers, zkKeys, documentChecks, publicUrl }),
    issuances,
    issuanceExplainer: new IssuanceExplainer({ ...people, models, cakKeys, clock }),
    holdings: new Holdings(models, clock),
    batches: new Batches({
      models: batches,
      batchRows,
      ...people,
      recordWrites,
      retentionMs: core.config.retention.jobMs,
      clock,
    }),
    batchRows,
    cakKeys,
    walletCopies: new WalletCopies({ connection, models, catalog, certificates, managedIssuers, publicUrl }),
    tokenLists: new TokenLists({ connection, models, catalog, certificates, managedIssuers, publicUrl, clock }),
    termsReader: new TermsReader({ catalog, holders }),
    direct: new DirectIssuance(issuing),
    issuerHosted: new IssuerHosted({ catalog, holders, load, calls, cakKeys, secondFactor }),
    issuerAnswers: new IssuerAnswers({ holders, load, calls }),
    revocation: new RevocationService(parts),
    revocationPreviews: new RevocationPreviews({ connection, models, issuances, limits: core.rateLimits, clock }),
    revocationJobs: new RevocationJobs({ connection, models, recordWrites, clock }),
    status: new StatusService(models, earlier.anchors, clock),
    statusLists: new StatusLists({ connection, models, catalog, managedIssuers, publicUrl, clock }),
  };
}

/** Workers: expiry, in an elected process; batches, and revocations by filter, in every process. */
function issuanceWorkers(
  { connection, changes, elections, processLease, points, appendEvents, recordWrites, clock, onError }: Core,
  {
    batchRows,
    issuance,
    partners,
  }: Pick<IssuanceServices, 'batchRows' | 'issuance'> & Pick<EarlierServices, 'partners'>,
): Worker[] {
  const models = { ...issuanceModels(connection), ...revocationModels(connection) };
  const batches = batchModels(connection);
  const batching = { models: batches, processLease, batchRows, issuance, partners };
  const batchWorker = new BatchWorker({ ...batching, isBusy: () => points.isBusy, onError });
  const revocationWorker = new RevocationWorker({
    connection,
    processLease,
    models,
    appendEvents,
    recordWrites,
    clock,
    onError,
  });
  changes.listen([batches.jobs.collection.name], batchWorker.changes);
  changes.listen([models.revocationJobs.collection.name], revocationWorker.changes);
  return [expiryWorker({ connection, changes, elections, models, appendEvents, clock }), batchWorker, revocationWorker];
}

export const issuanceDomain = {
  models: (connection: Connection) => ({
    ...issuanceModels(connection),
    ...batchModels(connection),
    ...cakModels(connection),
    ...revocationModels(connection),
  }),
  services: issuanceServices,
  operations: [
    ...issuanceOperations,
    ...batchOperations,
    ...cakOperations,
    ...termsOperations,
    ...revocationOperations,
  ],
  resolvers: batchResolvers,
  routes: issuanceRoutes,
  workers: issuanceWorkers,
  partChecks: ({ connection }: Core) => [batchCheck(batchModels(connection))],
  dropIndexes: dropReplacedIndexes,
  rowUpdates: [QUEUED_FOR_ANCHORS],
  sealed: (connection: Connection): SealedField[] => [
    { model: batchModels(connection).rows, field: 'sealed', what: 'batch-row', name: 'rows of batches' },
  ],
  retained: (connection: Connection, { jobMs: ms }: Retention): RetentionRule[] => {
    const { jobs, rows } = batchModels(connection);
    return [jobs, rows].map((model) => ({ model, end: 'expireAt', ms, formerMs: 30 * 86_400_000 }));
  },
} as const;
