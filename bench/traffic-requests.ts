// The requests of a large catalog's visitors, always the same: each as both gateways are asked it, and as both must answer.
import { CATEGORIES, WORDS } from './catalog-data.js';

const FIRST = 20;
const NODES = `{
  nodes {
    credentialId name category
    issuer { issuerId name issuerDid }
    schema { schemaId title }
    FIGURES
    programs(first: 2) { nodes { programId name pricingModel verifier { verifierId name } } }
  }
}`;
const OURS = NODES.replace('FIGURES', 'traction { holderCount issuanceCount verificationCount demandCount }');
const THEIRS = NODES.replace('FIGURES', 'holderCount issuanceCount verificationCount demandCount');

/** Our document: every read is a list. */
export const OUR_LIST = `query List($where: CredentialWhere, $order: CredentialOrder!) {
  credentials(first: ${FIRST}, where: $where, orderBy: $order) ${OURS}
}`;

/** PostGraphile's documents, by the kind of request; details are lists of one, as with us. */
export const THEIR_DOCUMENTS = {
  page: `query Page($ids: [String]!) { credentials: credentialsOfIds(ids: $ids, first: ${FIRST}) ${THEIRS} }`,
  list: `query List($condition: CredentialCondition, $order: [CredentialOrderBy!]) {
    credentials: allCredentials(first: ${FIRST}, condition: $condition, orderBy: $order) ${THEIRS}
  }`,
  search: `query Search($word: String!) { credentials: credentialsNamed(word: $word, first: ${FIRST}) ${THEIRS} }`,
  write: `mutation Write($id: String!, $patch: CredentialPatch!) {
    updateCredentialByCredentialId(input: { credentialId: $id, credentialPatch: $patch }) { clientMutationId }
  }`,
} as const;

export type Kind = keyof typeof THEIR_DOCUMENTS;

export interface TrafficRequest {
  kind: Kind;
  /** Variables of `OUR_LIST`; of a write, the id and the new name. */
  ours: { where?: object; order?: object } | { id: string; name: string };
  /** Variables of PostGraphile's document. */
  theirs: object;
}

/** Numbers from 0 to 1 that are the same in every run (Mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws numbers below `total` by Zipf's law with s = 1: number k with a share of 1/(k+1). */
function zipf(total: number, random: () => number): () => number {
  const sums = new Float64Array(total);
  let sum = 0;
  for (let at = 0; at < total; at += 1) {
    sum += 1 / (at + 1);
    sums[at] = sum;
  }
  return () => {
    const target = random() * sum;
    let [low, high] = [0, total - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < target) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Popular entries lie anywhere in the catalog. */
const idOf = (rank: number, total: number): string => `credential-${(rank * 7_919) % total}`;

const BY_POPULARITY = {
  ours: { field: 'POPULARITY', direction: 'DESC' },
  theirs: ['POPULARITY_DESC', 'CREDENTIAL_ID_DESC'],
};
const BY_NAME = { ours: { field: 'NAME', direction: 'ASC' }, theirs: ['SORT_NAME_ASC', 'CREDENTIAL_ID_ASC'] };

/** Of a hundred requests: 45 pages of chosen credentials, 24 details, 20 lists, 10 searches, one write. */
export function* trafficRequests(credentials: number, seed: number): Generator<TrafficRequest> {
  const random = randomFrom(seed);
  const rank = zipf(credentials, random);
  const issuer = zipf(Math.max(10, Math.ceil(credentials / 100)), random);
  const schema = zipf(Math.max(10, Math.ceil(credentials / 50)), random);
  const ofIds = (ids: string[]): TrafficRequest => ({
    kind: 'page',
    ours: { where: { credentialId: { in: ids } }, order: BY_POPULARITY.ours },
    theirs: { ids },
  });
  const distinct = (count: number): string[] => {
    const ids = new Set<string>();
    while (ids.size < count) ids.add(idOf(rank(), credentials));
    return [...ids];
  };
  const list = (): TrafficRequest => {
    const order = random() < 0.7 ? BY_POPULARITY : BY_NAME;
    const [field, value] = [
      ['issuerId', `issuer-${issuer()}`],
      ['schemaId', `schema-${schema()}`],
      ['category', CATEGORIES[Math.floor(random() * CATEGORIES.length)] ?? ''],
    ][Math.floor(random() * 3)] as [string, string];
    return {
      kind: 'list',
      ours: { where: { [field]: { eq: value } }, order: order.ours },
      theirs: { condition: { [field]: value }, order: order.theirs },
    };
  };
  const search = (): TrafficRequest => {
    const word = String(rank());
    const where = { name: { contains: word } };
    return { kind: 'search', ours: { where, order: BY_POPULARITY.ours }, theirs: { word } };
  };
  const write = (): TrafficRequest => {
    const id = idOf(rank(), credentials);
    const name = `${WORDS[Math.floor(random() * WORDS.length)]} Renamed ${Math.floor(random() * credentials)}`;
    return { kind: 'write', ours: { id, name }, theirs: { id, patch: { name, sortName: name.toLowerCase() } } };
  };
  for (;;) {
    const share = random() * 100;
    if (share < 45) yield ofIds(distinct(FIRST));
    else if (share < 69) yield ofIds(distinct(1));
    else if (share < 89) yield list();
    else if (share < 99) yield search();
    else yield write();
  }
}
