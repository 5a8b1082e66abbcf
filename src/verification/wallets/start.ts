// Starts verifications that wallets of others answer (contract §36): what a start adds to those that holders answer here.
import { randomBytes } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import type { PartnerCaller } from '../../base/callers/caller.js';
import { badInput, DomainError } from '../../base/errors.js';
import { native } from '../../base/mongodb/native.js';
import type { IssuingCatalog } from '../../catalog/reading/issuing.service.js';
import type { ProgramTerms } from '../../catalog/reading/program-terms.service.js';
import type { VerifierRow } from '../../catalog/rows/models.js';
import type { SealedBox } from '../../keys/sealed-box.js';
import { DC_API_PROTOCOL, newEncryptionKey, type PresentationRequests } from '../../openid4vp/requests.service.js';
import type { PartnerDirectory } from '../../partners/directory.service.js';
import type { StartVerification } from '../forms/inputs.js';
import type { VerificationWallet } from '../forms/types.js';
import type { VerificationRow } from '../records/models.js';
import type { RememberStart, Started, StartExtension, VerificationStarts } from '../start/start.js';
import { type AskedOptions, askedCredentials } from './asked.js';
import type { WalletFlow, WalletModels, WalletRequestRow } from './models.js';
import type { WalletRequests } from './requests.js';

export interface WalletStartOptions extends AskedOptions {
  models: WalletModels;
  starts: VerificationStarts;
  requests: WalletRequests;
  catalog: IssuingCatalog;
  partners: PartnerDirectory;
  presentationRequests: PresentationRequests;
  box: SealedBox;
  /** Whether wallets of others are served here. */
  isOn: boolean;
  clock(): number;
}

const SECRET_BYTES = 32;
const secret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** Starts verifications for wallets. */
export class WalletStarts {
  constructor(private readonly options: WalletStartOptions) {}

  /**
   * Starts a verification, or returns the named holder's waiting one of the same flow.
   * @throws DomainError as VerificationStarts.start; CONFLICT if wallets cannot be asked; OPENID4VC_OFF
   */
  start(
    caller: PartnerCaller,
    body: StartVerification & { wallet: { flow: WalletFlow } },
    remember?: RememberStart,
  ): Promise<Started> {
    const { flow } = body.wallet;
    if (!this.options.isOn) throw new DomainError('OPENID4VC_OFF', 'Wallets of others are not served here.');
    if (flow === 'same_device' && body.redirectUrl === undefined)
      throw badInput('"redirectUrl" is missing: after this flow, the wallet opens it.', 'redirectUrl');
    return this.options.starts.start(caller, body, remember, {
      flow,
      prepare: (terms, row) => this.#prepare(flow, terms, row),
    });
  }

  /** Refuses what wallets cannot be asked, and makes everything that is stored and shown. */
  async #prepare(
    flow: WalletFlow,
    terms: ProgramTerms,
    row: VerificationRow,
  ): Promise<Awaited<ReturnType<StartExtension['prepare']>>> {
    const { catalog, presentationRequests } = this.options;
    if (terms.cak) throw refused('The program asks for the compliance access key, which wallets do not give.');
    const asked = await askedCredentials(this.options, terms, row.createdAt.getTime());
    if (asked.length === 0)
      throw refused('None of the credentials that this program accepts can be asked of a wallet.');
    if (terms.maxPerHolder !== null && asked.some(({ managed }) => !managed))
      throw refused('The program limits verifications of a holder, whom credentials of other issuers do not identify.');
    const verifier = await catalog.verifier(terms.verifierId);
    if (verifier === null) throw refused('The verifier of the program is retired.');
    const { sha256 } = await presentationRequests.signer(verifier);
    const request = await this.#requestOf(flow, row, {
      ...{ verifierId: verifier._id, certificate: sha256, asked: JSON.stringify(asked) },
    });
    return {
      insert: async (session) => {
        await native(this.options.models.walletRequests).insertOne(request, { session });
      },
      show: (stored, session) => this.#show(stored, stored._id === row._id ? request : undefined, verifier, session),
    };
  }

  async #requestOf(
    flow: WalletFlow,
    { _id: verificationId, partnerId, expiresAt: expireAt }: VerificationRow,
    facts: Pick<WalletRequestRow, 'verifierId' | 'certificate' | 'asked'>,
  ): Promise<WalletRequestRow> {
    const { partners, box } = this.options;
    const { publicJwk, d } = await newEncryptionKey();
    const _id = secret();
    return {
      ...{ _id, verificationId, flow, ...facts, publicJwk: JSON.stringify(publicJwk) },
      sealedKey: box.seal(d, { what: 'wallet-response-key', whose: _id }),
      ...(flow === 'dc_api'
        ? { origins: (await partners.find(partnerId))?.allowedOrigins ?? [] }
        : { state: secret() }),
      expireAt,
    };
  }

  /** What the partner passes on to the wallet. @param made the request, unless it was stored before */
  async #show(
    row: VerificationRow,
    made: WalletRequestRow | undefined,
    verifier: VerifierRow,
    session: ClientSession,
  ): Promise<VerificationWallet> {
    const { models, requests } = this.options;
    const { _id: verificationId } = row;
    const request =
      made ?? (await models.walletRequests.findOne({ verificationId }, null, { session }).lean<WalletRequestRow>());
    if (request === null) throw new DomainError('CONFLICT', 'The wallet has answered already.');
    if (request.flow !== 'dc_api') return { uri: requests.uri(request) };
    return { protocol: DC_API_PROTOCOL, request: { request: await requests.sign(request, row, verifier) } };
  }
}

const refused = (why: string): DomainError => new DomainError('CONFLICT', why, { field: 'programId' });
