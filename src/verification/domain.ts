// The verification domain: its models, services, operations, routes and workers.
import type { Connection } from 'mongoose';
import type { Worker } from '../base/concurrency/worker.js';
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import type { ProgramCatalog } from '../catalog/reading/program-terms.service.js';
import type { Anchors } from '../chain/anchors.service.js';
import type { Chain } from '../chain/chain.service.js';
import type { Holders } from '../holders/holders.service.js';
import type { Core } from '../compose/domain.js';
import type { Certificates } from '../certificates/certificates.service.js';
import type { WalletCopies } from '../issuance/wallets/copies.service.js';
import { Presentations } from '../openid4vp/presentations.service.js';
import { PresentationRequests } from '../openid4vp/requests.service.js';
import type { Holdings } from '../issuance/holdings.service.js';
import type { SealedField } from '../keys/sealed-field.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import { Accumulators } from './proofs/accumulators.js';
import { verificationSource } from './outcome/anchoring.js';
import { VerificationAnswers } from './answer/answer.js';
import { ProofChecks } from './answer/checks.js';
import { Closings } from './records/closings.js';
import { ConditionService } from './planning/conditions.js';
import { EncodingService } from './planning/encoding.js';
import { VerificationExplainer } from './start/explain.service.js';
import { flowRoutes } from './flow.routes.js';
import { type FlowServices, flowOperations } from './operations.js';
import { verificationEraser } from './records/forget.js';
import { IssuerKeys } from './proofs/issuer-keys.js';
import { type VerificationModels, verificationModels } from './records/models.js';
import { Nullifiers } from './records/nullifiers.js';
import { VerificationOutcomes } from './outcome/outcomes.service.js';
import { planningOperations } from './planning/operations.js';
import { planningRoutes } from './planning/planning.routes.js';
import { VerificationPlans } from './planning/plan.js';
import { ProgramVersions } from './proofs/program-versions.js';
import { ProofTermsBuilder } from './proofs/proof-terms.js';
import { ProvedVerifications } from './outcome/proved-verifications.js';
import { VerificationRecords } from './records/records.js';
import { VerificationRequests } from './request/request.js';
import { VerificationStarts } from './start/start.js';
import { ProofVerifier } from './proofs/verifier.js';
import { VerificationWaits } from './records/waits.js';
import { verificationWorker } from './outcome/worker.js';
import { WalletAnswers } from './wallets/answer.js';
import { walletModels } from './wallets/models.js';
import { WalletRequests } from './wallets/requests.js';
import { WalletStarts } from './wallets/start.js';
import { Verdicts } from './wallets/verdict.js';
import { walletPresentationRoutes } from './wallets/wallet.routes.js';

export interface VerificationServices extends Omit<FlowServices, 'idempotency'> {
  conditions: ConditionService;
  encodings: EncodingService;
  issuerKeys: IssuerKeys;
  verificationPlans: VerificationPlans;
  verificationExplainer: VerificationExplainer;
  walletRequests: WalletRequests;
  /** Updates verifications from the event log. */
  verificationOutcomes: VerificationOutcomes;
  /** Requests that wait for a result; ended before the server. */
  verificationWaits: VerificationWaits;
}

interface EarlierServices {
  issuingCatalog: IssuingCatalog;
  programCatalog: ProgramCatalog;
  certificates: Certificates;
  walletCopies: WalletCopies;
  holders: Holders;
  partners: PartnerDirectory;
  holdings: Holdings;
  chain: Chain;
  anchors: Anchors;
}

function verificationServices(core: Core, earlier: EarlierServices): VerificationServices {
  const { connection, clock, managedIssuers, zkKeys, zkThreads, box, signingKeys, appendEvents, changes, config } =
    core;
  const { issuingCatalog: catalog, programCatalog: programs, holders, partners } = earlier;
  const { rateLimits: limits } = core;
  const { holdings, chain, anchors } = earlier;
  const isSandbox = config.networkEnv === 'sandbox';
  const models = verificationModels(connection);
  const issuerKeys = new IssuerKeys({ catalog, managedIssuers, zkKeys });
  const verifier = new ProofVerifier(zkThreads);
  const versions = new ProgramVersions(models);
  const nullifiers = new Nullifiers(models, box);
  const accumulators = new Accumulators(models, zkThreads);
  const terms = new ProofTermsBuilder({ catalog, issuerKeys, accumulators });
  const parts = { connection, models, holdings, holders, versions, nullifiers, appendEvents, clock };
  const closings = new Closings({ models, signingKeys, partners, appendEvents, clock });
  const provedVerifications = new ProvedVerifications({ ...parts, programs, chain, closings });
  const flow = { ...parts, catalog, programs, limits, accumulators, terms, closings, provedVerifications, verifier };
  core.erasers.add(verificationEraser({ connection, models, nullifiers, closings }));
  const { recordWrites } = core;
  const verificationStarts = new VerificationStarts({ ...flow, partners, recordWrites, isSandbox });
  const requests = new VerificationRequests(flow);
  const waits = new VerificationWaits();
  changes.listen([models.verifications.collection.name], waits.changes);
  anchors.add([verificationSource({ connection, models, holdings, provedVerifications })]);
  return {
    conditions: new ConditionService({ catalog, limits, clock }),
    encodings: new EncodingService(catalog),
    issuerKeys,
    verificationPlans: new VerificationPlans({ catalog, programs, holdings, clock }),
    verificationStarts,
    ...walletServices(core, earlier, { ...flow, starts: verificationStarts }),
    verificationExplainer: new VerificationExplainer({ programs, partners, isSandbox, holders, verifier }),
    verificationRequests: requests,
    verificationAnswers: new VerificationAnswers({ ...flow, requests }),
    verificationRecords: new VerificationRecords({ models, nullifiers, waits, clock }),
    verificationOutcomes: new VerificationOutcomes({ ...parts, provedVerifications }),
    verificationWaits: waits,
    proofChecks: new ProofChecks(flow),
  };
}

interface WalletParts {
  starts: VerificationStarts;
  models: VerificationModels;
  closings: Closings;
  provedVerifications: ProvedVerifications;
}

/** Verifications that wallets of others answer. */
function walletServices(
  { config, connection, box, signingKeys, outbound, recordWrites, rateLimits: limits, publicUrl, clock }: Core,
  { issuingCatalog: catalog, walletCopies: copies, certificates, partners, holdings }: EarlierServices,
  { starts, closings, provedVerifications, ...parts }: WalletParts,
): Pick<VerificationServices, 'walletStarts' | 'walletAnswers' | 'walletRequests'> {
  const models = { ...parts.models, ...walletModels(connection) };
  const presentationRequests = new PresentationRequests({ certificates, publicUrl });
  const presentations = new Presentations({ signingKeys, outbound, publicUrl, clock });
  const requests = new WalletRequests({ models, catalog, presentationRequests, publicUrl, clock });
  const verdicts = new Verdicts({ catalog, holdings, presentations, clock });
  const shared = { models, requests, partners, box, clock };
  return {
    walletRequests: requests,
    walletStarts: new WalletStarts({
      ...{ ...shared, starts, catalog, copies, presentationRequests },
      isOn: config.openid4vc,
    }),
    walletAnswers: new WalletAnswers({
      ...{ ...shared, connection, verdicts, closings, provedVerifications, recordWrites },
      limits,
    }),
  };
}

/** Times out unanswered verifications, in an elected process. */
function verificationWorkers(
  { connection, changes, elections, signingKeys, appendEvents, clock }: Core,
  { verificationOutcomes: outcomes, partners }: VerificationServices & Pick<EarlierServices, 'partners'>,
): Worker[] {
  const models = verificationModels(connection);
  const closings = new Closings({ models, signingKeys, partners, appendEvents, clock });
  return [verificationWorker({ connection, changes, elections, models, closings, outcomes, clock })];
}

export const verificationDomain = {
  models: (connection: Connection) => ({ ...verificationModels(connection), ...walletModels(connection) }),
  services: verificationServices,
  operations: [...planningOperations, ...flowOperations],
  routes: (services: VerificationServices) => [...planningRoutes(services), ...flowRoutes(services)],
  protocolRoutes: (services: VerificationServices) => walletPresentationRoutes(services),
  workers: verificationWorkers,
  sealed: (connection: Connection): SealedField[] => [
    {
      model: verificationModels(connection).nullifierKeys,
      field: 'sealed',
      what: 'nullifier-key',
      name: 'the key of nullifiers',
    },
    {
      model: walletModels(connection).walletRequests,
      field: 'sealedKey',
      what: 'wallet-response-key',
      name: 'keys of requests to wallets',
    },
  ],
} as const;
