// Builds the terms that a presentation must prove (contract §14) from the pinned program. Only sides, commitment and proof come from the prover.
import type { IssuingCatalog } from '../../catalog/reading/issuing.service.js';
import { familyOf } from '../../conditions/index.js';
import type { ProofCheck } from '../../keys/zk/protocol.js';
import { type Presentation, publicKeyBytes } from '../../zk/index.js';
import type { Accumulators } from './accumulators.js';
import type { IssuerKeys } from './issuer-keys.js';
import { acceptedOf, formsOf, misfitOf, type PinnedProgram } from './program-versions.js';

export interface ProofTermsOptions {
  catalog: IssuingCatalog;
  issuerKeys: IssuerKeys;
  accumulators: Accumulators;
}

/** Rebuilds the terms of proofs. */
export class ProofTermsBuilder {
  constructor(private readonly options: ProofTermsOptions) {}

  /**
   * The check of a presentation against a pinned program; undefined if it cannot prove the program: another credential,
   * a schema version without the fields, an invalid key.
   */
  async checkOf(pinned: PinnedProgram, presentation: Presentation): Promise<ProofCheck | undefined> {
    const { catalog, issuerKeys } = this.options;
    const { credentialId, schemaId, schemaVersion, kid } = presentation;
    const accepted = acceptedOf(pinned, credentialId);
    const forms = accepted && formsOf(accepted, Date.parse(presentation.now));
    const version = await catalog.schemaVersion(schemaId, schemaVersion);
    if (!accepted || !forms || !version || misfitOf(accepted, version.dataPoints) !== undefined) return undefined;
    const key = await issuerKeys.publicKey(accepted.issuerId, kid);
    const publicKey = key === undefined ? undefined : publicKeyBytes(key);
    if (publicKey === undefined) return undefined;
    const lists = await this.options.accumulators.read(pinned.programVersion, [{ credentialId, forms }]);
    const { verificationId, nonce, now, partnerId, programId } = presentation;
    const challenge = { verificationId, nonce, now, partnerId, programId, programVersion: pinned.programVersion };
    const terms = {
      challenge,
      credentialId,
      schemaId,
      schemaVersion,
      kid,
      points: version.dataPoints.map(({ name, type }) => ({ name, family: familyOf(type) })),
      conditions: forms,
      accumulators: lists.get(credentialId) ?? [],
    };
    return { terms, publicKey, presentation };
  }
}
