// The committed bytes are what the compiler makes of the committed sources.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const FOLDER = 'contracts/artifacts';

it('Artifacts are compiled from the sources beside them; run npm run contracts after a change', async () => {
  const { artifacts } = (await import('../../tools/contracts.mjs' as string)) as {
    artifacts(): Record<string, string>;
  };
  const committed = Object.fromEntries(
    readdirSync(FOLDER).map((name) => [name, readFileSync(`${FOLDER}/${name}`, 'utf8')]),
  );
  expect(committed).toEqual(artifacts());
});
