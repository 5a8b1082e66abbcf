// `operator-key create|list|rotate|withdraw`: named operator keys, with a running gateway or without one.
import { AuditLog } from '../audit/audit-log.js';
import { auditModels } from '../audit/models.js';
import type { Config } from '../base/config/config.js';
import { parseInput } from '../base/input.js';
import { operatorModels } from '../operators/models.js';
import { OperatorKeys } from '../operators/operator-keys.js';
import {
  createOperatorKeyInput,
  type OperatorKey,
  type OperatorKeyWithText,
  operatorKeyInput,
} from '../operators/types.js';
import { CLI } from './caller.js';
import { countOf, type Report } from './output.js';
import { openStoreBeside, requireStore } from './store-beside.js';

/** Creates a key. @throws DomainError for an invalid name or role, or a name that was used before. */
export const createOperatorKey = (config: Config, name: string, role: string): Promise<Report> =>
  withKeys(config, async (keys) =>
    textReport(await keys.create(CLI, parseInput(createOperatorKeyInput, { name, role }))),
  );

/** Creates a new key with a name; the previous one works for 24 hours. @throws DomainError NOT_FOUND. */
export const rotateOperatorKey = (config: Config, name: string): Promise<Report> =>
  withExisting(config, async (keys) => textReport(await keys.rotate(CLI, parseInput(operatorKeyInput, { name }))));

/** Withdraws a key for good. @throws DomainError NOT_FOUND. */
export const withdrawOperatorKey = (config: Config, name: string): Promise<Report> =>
  withExisting(config, async (keys) => {
    const key = await keys.withdraw(CLI, parseInput(operatorKeyInput, { name }));
    return { lines: [`${name} is withdrawn; every gateway refuses it within seconds`], json: key };
  });

/** All keys, including withdrawn ones. */
export const listOperatorKeys = (config: Config): Promise<Report> =>
  withExisting(config, async (keys) => {
    const all = await keys.list();
    return { lines: [...all.map(lineOf), countOf(all.length, 'key')], json: { operatorKeys: all } };
  });

const lineOf = ({ name, role, createdAt, withdrawnAt }: OperatorKey): string => {
  const end = withdrawnAt === null ? '' : `, withdrawn ${withdrawnAt.toISOString()}`;
  return `${name}  ${role}  created ${createdAt.toISOString()}${end}`;
};

const textReport = (created: OperatorKeyWithText): Report => ({
  lines: [`${created.name} may do: ${created.role}`, 'Keep this key; it is shown only once:', created.key],
  json: created,
});

async function withExisting(config: Config, work: (keys: OperatorKeys) => Promise<Report>): Promise<Report> {
  requireStore(config);
  return withKeys(config, work);
}

async function withKeys(config: Config, work: (keys: OperatorKeys) => Promise<Report>): Promise<Report> {
  const store = await openStoreBeside(config);
  try {
    await store.connected;
    const { connection } = store;
    const { record: recordWrites } = new AuditLog(auditModels(connection), Date.now);
    return await work(new OperatorKeys({ models: operatorModels(connection), recordWrites, clock: Date.now }));
  } finally {
    await store.close();
  }
}
