// What is printed when a gateway serves: only addresses that respond with this configuration.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import { banner } from '../../src/process/banner.js';

const URL = 'http://127.0.0.1:4000';
const PRODUCTION = {
  NETWORK_ENV: 'production',
  HOLDER_DID_TYPE: '03d1',
  KEYSTORE_KEY: Buffer.alloc(32, 1).toString('base64'),
  PUBLIC_URL: 'https://gateway.example',
};

it('the banner is the one in the readme', () => {
  expect(readFileSync('README.md', 'utf8')).toContain(`${banner(loadConfig({}), URL)}\n\`\`\`\n`);
});

it('the banner names the catalog if it is open, otherwise the document of all routes', () => {
  expect(banner(loadConfig({}), URL)).toContain(`${URL}/v1/catalog/credentials`);
  expect(banner(loadConfig({ ...PRODUCTION, CATALOG_ENABLED: 'true' }), URL)).toContain('/v1/catalog/credentials');
  const closed = banner(loadConfig(PRODUCTION), URL);
  expect(closed).toContain(`${URL}/v1/openapi.json`);
  expect(closed).not.toMatch(/catalog|Try it|start page/);
});
