// Typed data (EIP-712) as they are signed: a member that no type names is not signed, and is therefore not shown.

import type { Hex } from 'viem';
import { hashTypedData } from 'viem/utils';
import { invalid } from '../rpc-error.js';

type Members = readonly { name: string; type: string }[];

export interface TypedData {
  hash: Hex;
  primaryType: string;
  domain: Record<string, unknown>;
  message: Record<string, unknown>;
}

/** The members of a domain where no type says which ones are signed. */
const OF_DOMAIN: Members = ['name', 'version', 'chainId', 'verifyingContract', 'salt'].map((name) => ({
  name,
  type: '',
}));
/** Types may contain one another; data with a deeper nesting are refused. */
const MAX_DEPTH = 20;

/** Reads typed data. @throws RpcError -32602, also for another chain. */
export function typedDataOf(data: unknown, chainId: number): TypedData {
  let parsed: Record<string, unknown>;
  let hash: Hex;
  try {
    parsed = Object(typeof data === 'string' ? JSON.parse(data) : data);
    // viem checks what its types would require.
    hash = hashTypedData(parsed as never);
  } catch {
    throw invalid('The typed data are not of EIP-712.');
  }
  const types = Object(parsed.types) as Record<string, Members>;
  const primaryType = String(parsed.primaryType);
  const domain = ofMembers(types.EIP712Domain ?? OF_DOMAIN, Object(parsed.domain), types, 0);
  if (domain.chainId !== undefined && Number(domain.chainId) !== chainId)
    throw invalid(`The typed data are for chain ${domain.chainId}, not for ${chainId}.`);
  const message =
    primaryType === 'EIP712Domain' ? {} : ofMembers(types[primaryType] ?? [], Object(parsed.message), types, 0);
  return { hash, primaryType, domain, message };
}

function ofMembers(
  members: Members,
  value: Record<string, unknown>,
  types: Record<string, Members>,
  depth: number,
): Record<string, unknown> {
  if (depth > MAX_DEPTH) throw invalid('The typed data are nested too deeply.');
  const named = members.filter(({ name }) => Object.hasOwn(value, name));
  return Object.fromEntries(named.map(({ name, type }) => [name, ofType(type, value[name], types, depth)]));
}

function ofType(type: string, value: unknown, types: Record<string, Members>, depth: number): unknown {
  const ofItem = /^(.*)\[\d*\]$/.exec(type)?.[1];
  if (ofItem !== undefined && Array.isArray(value)) return value.map((item) => ofType(ofItem, item, types, depth));
  const members = Object.hasOwn(types, type) ? types[type] : undefined;
  return members ? ofMembers(members, Object(value), types, depth + 1) : value;
}
