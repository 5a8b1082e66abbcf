// CAK: a holder registers the public key of a key pair for an issuer and a schema, and the issuer's partners read it (contract §17).
import type { HolderCaller, PartnerCaller } from '../../base/callers/caller.js';
import { ON_DUPLICATE } from '../../base/mongodb/duplicate-key.js';
import { badInput, DomainError } from '../../base/errors.js';
import { enforce } from '../../base/callers/rules.js';
import type { IssuingCatalog } from '../../catalog/reading/issuing.service.js';
import type { SecondFactor } from '../../holders/second-factor.service.js';
import type { PartnerDirectory } from '../../partners/directory.service.js';
import { CAK_RULES, type CakFacts } from './cak-rules.js';
import type { CakKeyRow, CakModels } from './models.js';
import { isCakPublicKey } from './public-key.js';
import { type CakKey, type CakPlace, cakKeyOf, type RegisterCak } from './types.js';

export interface CakOptions {
  models: CakModels;
  catalog: IssuingCatalog;
  partners: PartnerDirectory;
  secondFactor: SecondFactor;
  clock(): number;
}

const idOf = (holderId: string, { issuerId, schemaId }: CakPlace): string => `${holderId} ${issuerId} ${schemaId}`;

/** Public keys of holders. */
export class CakKeys {
  constructor(private readonly options: CakOptions) {}

  /**
   * Registers the holder's public key for an issuer and a schema, in place of an earlier one.
   * @throws DomainError BAD_USER_INPUT for a text that is no point of the curve, NOT_FOUND if no credential has a CAK,
   *   MFA_REQUIRED.
   */
  async register(caller: HolderCaller, { publicKey, curve, ...place }: RegisterCak): Promise<CakKey> {
    if (!isCakPublicKey(publicKey, curve))
      throw badInput(`"publicKey" must be a point of ${curve}: SEC1, compressed, 66 hexadecimal digits.`, 'publicKey');
    const { holderId } = caller;
    const { catalog, models, secondFactor, clock } = this.options;
    if (!(await catalog.hasCak(place.issuerId, place.schemaId)))
      throw new DomainError('NOT_FOUND', 'This issuer has no credential with a CAK on this schema.', {
        field: 'schemaId',
      });
    await secondFactor.require(caller, 'registerCak');
    const _id = idOf(holderId, place);
    const key = { curve, publicKey: publicKey.toLowerCase(), updatedAt: new Date(clock()) };
    const change = { $set: key, $setOnInsert: { holderId, ...place } };
    const write = () => models.cakKeys.updateOne({ _id }, change, { upsert: true });
    // If two requests write the first key at the same time, one inserts it and the other updates that row.
    await ON_DUPLICATE.execute(write);
    return cakKeyOf({ _id, holderId, ...place, ...key });
  }

  /** The holder's own key. @throws DomainError NOT_FOUND. */
  async own({ holderId }: HolderCaller, place: CakPlace): Promise<CakKey> {
    const row = await this.row(holderId, place);
    if (row === null)
      throw new DomainError('NOT_FOUND', 'The holder has registered no CAK for this issuer and schema.');
    return cakKeyOf(row);
  }

  /** The key of a holder, for a partner that may act for the issuer. @throws DomainError NOT_FOUND for everybody else, too. */
  async find({ partnerId }: PartnerCaller, holderId: string, place: CakPlace): Promise<CakKey> {
    const { catalog, partners } = this.options;
    const [partner, issuer, row] = await Promise.all([
      partners.find(partnerId),
      catalog.issuer(place.issuerId),
      this.row(holderId, place),
    ]);
    const facts: CakFacts = { partner, issuer, row };
    enforce(CAK_RULES, facts);
    return cakKeyOf(facts.row);
  }

  /** The row of a holder's key, or null; its rules are in cak-rules.ts. */
  row(holderId: string, place: CakPlace): Promise<CakKeyRow | null> {
    return this.options.models.cakKeys.findById(idOf(holderId, place)).lean<CakKeyRow>().exec();
  }
}
