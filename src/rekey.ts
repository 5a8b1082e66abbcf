// Changing KEYSTORE_KEY: everything sealed is opened with the key before and sealed with the new one, and keyed hashes are made anew.
// Runs while no gateway does; may be stopped and run again.
import type { Connection, Model } from 'mongoose';
import { catalogModels } from './catalog/models.js';
import { holderModels } from './holders/models.js';
import { batchModels } from './issuance/batch-models.js';
import { keyModels } from './keys/models.js';
import type { SealContext, SealedBox } from './keys/sealed-box.js';

/** One sealed field, and the keyed hash beside it that is made from the same plaintext. */
interface SealedField {
  // biome-ignore lint/suspicious/noExplicitAny: the table holds models of different rows; fields are named beside them.
  model: Model<any>;
  field: string;
  what: SealContext['what'];
  hashField?: string;
}

/** Every field that is sealed for longer than minutes. Logins under way, the sandbox's mailbox and limits are left to expire. */
function sealedFields(connection: Connection): SealedField[] {
  const { holders, holderPartners } = holderModels(connection);
  return [
    { model: keyModels(connection).signingKeys, field: 'sealedPrivateKey', what: 'signing-key' },
    { model: holders, field: 'sealedEmail', what: 'holder-email', hashField: 'emailHash' },
    { model: holders, field: 'sealedPrivateKey', what: 'holder-key' },
    { model: holderPartners, field: 'sealedPartnerUserId', what: 'partner-user-id' },
    { model: catalogModels(connection).issuers, field: 'apiKeySealed', what: 'api-key' },
    { model: batchModels(connection).rows, field: 'sealed', what: 'batch-row' },
  ];
}

/**
 * Seals everything anew.
 * @param box seals with the new key and opens what either key sealed.
 * @returns how many values were sealed anew; a second run counts the same and changes nothing that matters.
 * @throws UnsealError when a value was sealed under neither key; what was done until then stays good.
 */
export async function rekey(connection: Connection, box: SealedBox): Promise<number> {
  let count = 0;
  for (const field of sealedFields(connection)) count += await rekeyField(field, box);
  return count;
}

async function rekeyField({ model, field, what, hashField }: SealedField, box: SealedBox): Promise<number> {
  let count = 0;
  const sealed = model.find({ [field]: { $type: 'string' } }, { [field]: 1 }).lean<Record<string, string>[]>();
  for await (const row of sealed.cursor()) {
    const context = { what, whose: String(row._id) };
    const plaintext = box.unseal(String(row[field]), context);
    const hash = hashField === undefined ? {} : { [hashField]: box.blindIndex('holder-email', plaintext) };
    await model.updateOne({ _id: row._id }, { $set: { [field]: box.seal(plaintext, context), ...hash } });
    count += 1;
  }
  return count;
}
