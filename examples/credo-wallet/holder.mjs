// A holder's agent by credo-ts, https://credo.js.org: it takes offers by OpenID4VCI and answers requests by OpenID4VP.
// Keys and credentials are in memory, until the program ends.
import { Agent, ConsoleLogger, InjectionSymbols, Kms, LogLevel, SdJwtVcModule, X509Module } from '@credo-ts/core';
import { agentDependencies, NodeInMemoryKeyManagementStorage, NodeKeyManagementService } from '@credo-ts/node';
import { OpenId4VcModule } from '@credo-ts/openid4vc';
import { attestKeys, attestWallet } from './attestations.mjs';
import { MemoryStorage } from './storage.mjs';

const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
export const REDIRECT_URI = 'org.example.credo-wallet:/callback';
const BY_PAGE = 'by-page';
const CLIENT_ID = 'org.example.credo-wallet';

/** @param trustedCertificates PEM, the roots of issuers and verifiers */
async function startAgent(trustedCertificates) {
  const keys = new NodeKeyManagementService(new NodeInMemoryKeyManagementStorage());
  const agent = new Agent({
    // A gateway on this machine has an http address, and Node has no place for a log that is not asked for.
    config: {
      allowInsecureHttpUrls: true,
      autoUpdateStorageOnStartup: true,
      logger: new ConsoleLogger(process.env.CREDO_LOG ? LogLevel.debug : LogLevel.off),
    },
    dependencies: agentDependencies,
    modules: {
      storage: { register: (to) => to.registerInstance(InjectionSymbols.StorageService, new MemoryStorage()) },
      kms: new Kms.KeyManagementModule({ backends: [keys] }),
      x509: new X509Module({ trustedCertificates }),
      // Credo itself fetches type metadata by https alone.
      sdJwtVc: new SdJwtVcModule({
        customTypeMetadataResolver: async (vct) => (/^https?:/.test(vct) ? (await fetch(vct)).json() : undefined),
      }),
      openid4vc: new OpenId4VcModule(),
    },
  });
  await agent.initialize();
  return agent;
}

export class Holder {
  #agent;
  #provider;
  /** What the last offer left: the offer, its tokens, credentials that wait, the step that a browser has to do. */
  #session;

  constructor(agent, provider) {
    this.#agent = agent;
    this.#provider = provider;
  }

  /** @param options `roots`: trusted certificates, PEM; `provider`: `{key, x5c}` that attests this wallet and its keys, as haip asks */
  static async start({ roots = [], provider } = {}) {
    return new Holder(await startAgent(roots), provider);
  }

  get #taken() {
    if (this.#session === undefined) throw new Error('No offer was taken before.');
    return this.#session;
  }

  get #holder() {
    return this.#agent.openid4vc.holder;
  }

  /**
   * Takes an offer by its code. Where it has none, and by the word `by-page`, returns the address that a browser has to
   * open: then `redirected`.
   */
  async take(offerUri, txCode) {
    const resolvedCredentialOffer = await this.#holder.resolveCredentialOffer(offerUri);
    const walletAttestationJwt = this.#provider && (await attestWallet(this.#agent, this.#provider, CLIENT_ID));
    this.#session = { resolvedCredentialOffer, walletAttestationJwt };
    const { grants } = resolvedCredentialOffer.credentialOfferPayload;
    if (txCode === BY_PAGE || grants?.[PRE_AUTHORIZED] === undefined) return this.#authorize();
    return this.#receive(await this.#holder.requestToken({ resolvedCredentialOffer, txCode, walletAttestationJwt }));
  }

  async #authorize() {
    const { resolvedCredentialOffer, walletAttestationJwt } = this.#session;
    const authorization = await this.#holder.resolveOpenId4VciAuthorizationRequest(resolvedCredentialOffer, {
      clientId: CLIENT_ID,
      redirectUri: REDIRECT_URI,
      walletAttestationJwt,
    });
    this.#session.authorization = authorization;
    return { open: authorization.authorizationRequestUrl };
  }

  /** Goes on with the address to which the browser was sent back. */
  async redirected(authorizationResponseRedirectUrl) {
    const { resolvedCredentialOffer, walletAttestationJwt, authorization } = this.#taken;
    const { authorizationCode } = await this.#holder.parseAuthorizationCodeFromAuthorizationResponse({
      resolvedCredentialOffer,
      authorizationResponseRedirectUrl,
    });
    const token = await this.#holder.requestToken({
      resolvedCredentialOffer,
      code: authorizationCode,
      clientId: CLIENT_ID,
      codeVerifier: authorization.codeVerifier,
      redirectUri: REDIRECT_URI,
      dpop: authorization.dpop,
      walletAttestationJwt,
    });
    return this.#receive(token);
  }

  /** New copies by the refresh token. */
  async refresh() {
    const { resolvedCredentialOffer, token, walletAttestationJwt, authorization } = this.#taken;
    const { refreshToken, dpop } = token;
    if (refreshToken === undefined) throw new Error('The issuer gave no refresh token.');
    const options = {
      refreshToken,
      issuerMetadata: resolvedCredentialOffer.metadata,
      dpop,
      walletAttestationJwt,
      clientId: authorization && CLIENT_ID,
    };
    return this.#receive(await this.#holder.refreshToken(options));
  }

  async #receive(token) {
    const { resolvedCredentialOffer, authorization } = this.#session;
    this.#session.token = { ...this.#session.token, ...token };
    const { credentials, deferredCredentials } = await this.#holder.requestCredentials({
      resolvedCredentialOffer,
      ...token,
      clientId: authorization && CLIENT_ID,
      credentialBindingResolver: (options) => this.#bind(options),
    });
    this.#session.deferred = deferredCredentials;
    return this.#keep(credentials);
  }

  /** Asks again for credentials that were not ready. */
  async later() {
    const { resolvedCredentialOffer, token, deferred } = this.#taken;
    const answers = await Promise.all(
      deferred.map((one) =>
        this.#holder.requestDeferredCredentials({ ...one, ...token, issuerMetadata: resolvedCredentialOffer.metadata }),
      ),
    );
    this.#session.deferred = answers.flatMap(({ deferredCredentials }, index) =>
      deferredCredentials.map((one) => ({ ...deferred[index], ...one })),
    );
    return this.#keep(answers.flatMap(({ credentials }) => credentials));
  }

  /** As many new keys as the issuer takes at once, attested where it asks for that. */
  async #bind({ issuerMaxBatchSize, proofTypes, cNonce }) {
    const create = () => this.#agent.kms.createKeyForSignatureAlgorithm({ algorithm: 'ES256' });
    const created = await Promise.all(Array.from({ length: issuerMaxBatchSize }, create));
    const jwks = created.map(({ publicJwk }) => publicJwk);
    if (proofTypes.jwt && !proofTypes.jwt.keyAttestationsRequired)
      return { method: 'jwk', keys: jwks.map((jwk) => Kms.PublicJwk.fromPublicJwk(jwk)) };
    if (this.#provider === undefined) throw new Error('The issuer asks for attested keys, and nobody attests ours.');
    return { method: 'attestation', keyAttestationJwt: attestKeys(this.#provider, jwks, cNonce) };
  }

  /** Stores what was received, tells the issuer, and returns what it is. */
  async #keep(credentials) {
    const { resolvedCredentialOffer, token, deferred } = this.#taken;
    const { accessToken, dpop } = token;
    const received = [];
    for (const { record, notificationId, credentialConfigurationId } of credentials) {
      await this.#agent.sdJwtVc.store({ record });
      const notification = { metadata: resolvedCredentialOffer.metadata, accessToken, dpop, notificationId };
      if (notificationId !== undefined)
        await this.#holder.sendNotification({ ...notification, notificationEvent: 'credential_accepted' });
      const { prettyClaims, typeMetadata } = record.firstCredential;
      received.push({
        configuration: credentialConfigurationId,
        copies: record.credentialInstances.length,
        type: typeMetadata?.name ?? typeMetadata?.display?.[0]?.name,
        claims: prettyClaims,
      });
    }
    return { received, waiting: deferred.length, refreshable: token.refreshToken !== undefined };
  }

  /** The credentials that this wallet has: their compact forms. */
  async credentials() {
    const records = await this.#agent.sdJwtVc.getAll();
    return records.flatMap(({ credentialInstances }) =>
      credentialInstances.map(({ compactSdJwtVc }) => compactSdJwtVc),
    );
  }

  /** Answers a verifier's request with the first credentials that fit it. */
  async present(requestUri) {
    const { verifier, dcql, authorizationRequestPayload, signedAuthorizationRequest } =
      await this.#holder.resolveOpenId4VpAuthorizationRequest(requestUri);
    const asked = { by: verifier.effectiveClientId, signedBy: signedAuthorizationRequest?.signer.method };
    if (!dcql.queryResult.can_be_satisfied) return { ...asked, answered: false };
    const credentials = this.#holder.selectCredentialsForDcqlRequest(dcql.queryResult);
    const answer = await this.#holder.acceptOpenId4VpAuthorizationRequest({
      authorizationRequestPayload,
      dcql: { credentials },
    });
    const shown = Object.entries(credentials).map(([id, matches]) => [
      id,
      matches.map(({ disclosedPayload }) => disclosedPayload),
    ]);
    return { ...asked, answered: answer.ok, shown: Object.fromEntries(shown), response: answer.serverResponse };
  }

  close = () => this.#agent.shutdown();
}
