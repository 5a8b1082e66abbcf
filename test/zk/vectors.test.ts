// The vectors of docs/proofs.md: our code reproduces every step of them, accepts what they say is valid and refuses the others. WRITE_VECTORS=1
// writes new ones.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodePresentation, fromBase64url, loadSuite, publicKeyBytes } from '../../src/zk/index.js';
import {
  claimOf,
  describeParameters,
  describeSigned,
  describeVector,
  newVectors,
  type PresentationVector,
  refusedVectors,
  type Signed,
  termsOf,
} from './vectors.js';

const FILE = 'docs/vectors/core-zk-1.json';
const LIBRARY = '@docknetwork/crypto-wasm 0.33.0';
const suite = await loadSuite();

interface Vectors {
  library: string;
  parameters: ReturnType<typeof describeParameters>;
  signed: ReturnType<typeof describeSigned>;
  presentations: ReturnType<typeof describeVector>[];
  refused: Omit<PresentationVector, 'opening'>[];
}

function newFile(): Vectors {
  const { signed, presentations } = newVectors();
  return {
    library: LIBRARY,
    parameters: describeParameters(),
    signed: describeSigned(signed),
    presentations: presentations.map(describeVector),
    refused: refusedVectors(presentations),
  };
}

if (process.env.WRITE_VECTORS) writeFileSync(FILE, `${JSON.stringify(newFile(), null, 1)}\n`);
const vectors: Vectors = JSON.parse(readFileSync(FILE, 'utf8'));
/** As in JSON, without what is undefined. */
const written = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const verify = (vector: Pick<PresentationVector, 'terms' | 'publicKeyMultibase' | 'presentation'>): boolean =>
  suite.verify(
    termsOf(vector),
    publicKeyBytes(vector.publicKeyMultibase) ?? new Uint8Array(),
    decodePresentation(vector.presentation),
  );

describe('The vectors', () => {
  it('the vectors name the library that the gateway uses, and have its parameters', () => {
    const { version } = JSON.parse(readFileSync('node_modules/@docknetwork/crypto-wasm/package.json', 'utf8'));
    expect(vectors.library).toBe(`@docknetwork/crypto-wasm ${version}`);
    expect(written(describeParameters())).toEqual(vectors.parameters);
  });

  it('the vectors have the messages of a claim, and their signature', () => {
    const { kid, publicKeyMultibase, publicKey, coreClaim, signature } = vectors.signed;
    const signed: Signed = { kid, publicKeyMultibase, publicKey, coreClaim, signature };
    expect(written(describeSigned(signed))).toEqual(vectors.signed);
    const key = publicKeyBytes(publicKeyMultibase) ?? new Uint8Array();
    expect(suite.isSigned(claimOf(), vectors.signed.points, fromBase64url(signature) ?? new Uint8Array(), key)).toBe(
      true,
    );
  });

  it.each(vectors.presentations.map((vector) => [vector.name, vector] as const))(
    'prove %s, and every step is ours',
    (_name, vector) => {
      const { name, terms, publicKeyMultibase, presentation, opening } = vector;
      const ours = describeVector({ name, terms, publicKeyMultibase, presentation, opening });
      expect(written(ours)).toEqual(vector);
      expect(verify(vector)).toBe(true);
      const { commitment } = decodePresentation(presentation);
      expect(suite.opens(claimOf(), commitment, opening)).toBe(true);
    },
  );

  it.each(vectors.refused.map((vector) => [vector.name, vector] as const))('refuse %s', (_name, vector) => {
    expect(verify(vector)).toBe(false);
  });

  it('there are as many vectors as the page says, with every kind of statement', () => {
    const kinds = new Set(vectors.presentations.flatMap(({ plan }) => plan.map(({ kind }) => kind)));
    expect([...kinds].sort()).toEqual(['disclosed', 'inequality', 'member', 'range']);
    expect(readFileSync('docs/proofs.md', 'utf8')).toContain(
      `${vectors.presentations.length} presentations that are valid and ${vectors.refused.length} that are not`,
    );
  });
});
