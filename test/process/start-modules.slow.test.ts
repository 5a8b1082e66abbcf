// What a start of a sandbox does not load: packages for mail, for Apollo's studio, for tracing, for wallets of others, and those that Node replaces.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.js';

const folder = mkdtempSync(join(tmpdir(), 'loaded-'));
const modules = join(folder, 'modules');
const gateway = new GatewayProcess({
  NODE_OPTIONS: `--import ${pathToFileURL('test/support/list-modules.mjs')}`,
  LIST_MODULES: modules,
});

let files: string[] = [];
let packages: Set<string>;

beforeAll(async () => {
  await gateway.start();
  files = [...new Set(readFileSync(modules, 'utf8').split('\n'))]
    .filter((url) => url.startsWith('file:'))
    .map((url) => fileURLToPath(url));
  packages = new Set(files.filter((file) => existsSync(file)).flatMap(packagesOf));
});
afterAll(() => {
  gateway.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** The packages in a file: those that a chunk is bundled of, or the one that it is a part of. */
function packagesOf(file: string): string[] {
  const own = /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1];
  if (own !== undefined) return [own.replaceAll('\\', '/')];
  const parts = readFileSync(file, 'utf8').matchAll(/^\/\/(?:#region)? node_modules\/((?:@[^/\s]+\/)?[^/\s]+)/gm);
  return [...parts].flatMap(([, name = '']) => name);
}

describe('the start of a sandbox', () => {
  it('loads the packages that every gateway uses', () => {
    expect([...packages]).toEqual(
      expect.arrayContaining(['fastify', 'mongodb', 'graphql', '@apollo/server', 'prom-client', 'lmdb']),
    );
  });

  it.each([
    ['nodemailer', 'there is no mail server'],
    ['@apollo/usage-reporting-protobuf', "nothing is reported to Apollo's studio"],
    ['@opentelemetry/api', 'nothing is traced'],
    ['sha.js', "Node computes Apollo's hashes"],
    ['whatwg-url', 'Node has these URLs'],
    ['tr46', 'Node has these URLs'],
    ['viem', 'nothing is anchored'],
    ['@peculiar/x509', 'no key gets a certificate'],
    ['asn1js', 'no certificate is read'],
    ['@fastify/ajv-compiler', 'no route has a schema of Fastify'],
    ['@fastify/fast-json-stringify-compiler', 'no route has a schema of Fastify'],
    ['ajv', 'nothing is checked by a JSON Schema'],
  ])('does not load %s: %s', (name) => {
    expect([...packages]).not.toContain(name);
  });
});

const { URL: PackageUrl } = createRequire(
  createRequire(import.meta.resolve('mongodb')).resolve('mongodb-connection-string-url'),
)('whatwg-url') as { URL: typeof URL };

const PARTS = ['href', 'protocol', 'username', 'password', 'host', 'pathname', 'search', 'hash'] as const;

it.each([
  'mongodb://host/',
  'mongodb://user:p%40ss%3Aword@host/database?replicaSet=rs0&w=majority',
  'mongodb+srv://us%20er:@host/?tls=true&tls=false',
  'mongodb://%2Ftmp%2Fengine.sock/gateway?directConnection=true',
  'mongodb://host/data%20base?appName=a%2Bb+c&x=%C3%BC',
  'mongodb://host?readPreferenceTags=dc:ny,rack:1&readPreferenceTags=',
  'mongodb://host/ü?ä=ö#part',
])("reads %s as the driver's own URLs would", (text) => {
  const [own, nodes] = [new PackageUrl(text), new URL(text)];
  expect(PARTS.map((part) => nodes[part])).toEqual(PARTS.map((part) => own[part]));
  expect([...nodes.searchParams]).toEqual([...own.searchParams]);
});
