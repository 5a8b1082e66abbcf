// Compiles contracts/*.sol to contracts/artifacts: `npm run contracts`. A test compares the bytes of what is committed.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CONTRACTS = [
  'AnchorRegistry',
  'CoreId',
  'CoreAccountFactory',
  'CoreAccount',
  'SignatureCheck',
  'SandboxToken',
  'SandboxPool',
];
/** The EntryPoint is compiled by its authors: what their package holds is what stands on the public chains. */
const ENTRY_POINT = 'contracts/node_modules/@account-abstraction/contracts/artifacts/EntryPoint.json';

/** Without metadata the bytes depend on the sources alone. */
const SETTINGS = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
};

const textOf = (path) => readFileSync(`${ROOT}${path}`, 'utf8');

function compiled() {
  const solc = createRequire(`${ROOT}contracts/package.json`)('solc');
  const names = readdirSync(`${ROOT}contracts`).filter((name) => name.endsWith('.sol'));
  const sources = Object.fromEntries(names.map((name) => [name, { content: textOf(`contracts/${name}`) }]));
  const input = { language: 'Solidity', sources, settings: SETTINGS };
  const imported = (path) => ({ contents: textOf(`contracts/node_modules/${path}`) });
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: imported }));
  const faults = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (faults.length > 0) throw new Error(faults.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return output.contracts;
}

/** @returns {Record<string, string>} file name -> text, of every artifact. */
export function artifacts() {
  const output = compiled();
  const ours = CONTRACTS.map((name) => {
    const { abi, evm } = output[`${name}.sol`][name];
    return [name, { abi, bytecode: `0x${evm.bytecode.object}`, deployedBytecode: `0x${evm.deployedBytecode.object}` }];
  });
  const { abi, bytecode, deployedBytecode } = JSON.parse(textOf(ENTRY_POINT));
  const all = [...ours, ['EntryPoint', { abi, bytecode, deployedBytecode }]];
  return Object.fromEntries(all.map(([name, artifact]) => [`${name}.json`, `${JSON.stringify(artifact, null, 1)}\n`]));
}

function main() {
  mkdirSync(`${ROOT}contracts/artifacts`, { recursive: true });
  for (const [name, text] of Object.entries(artifacts())) writeFileSync(`${ROOT}contracts/artifacts/${name}`, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
