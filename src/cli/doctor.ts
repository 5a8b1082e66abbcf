// `doctor`: examines an installation from a gateway's point of view, while gateways run or before the first start. It changes nothing.
import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { type Config, ConfigError, loadConfig, misspeltVariables } from '../base/config/config.js';
import { isUnreachable } from '../store/connection.js';
import { chainFindings, nodeFindings } from './doctor-chain.js';
import {
  configurationFindings,
  descriptorFinding,
  folderFault,
  folderFindings,
  mailFindings,
  publicUrlFindings,
} from './doctor-machine.js';
import { storeFindings } from './doctor-store.js';
import { bad, type Finding, ok, warn } from './finding.js';
import { countOf, type Report, type Terminal } from './output.js';
import { hasStore, openStoreBeside } from './store-beside.js';

const NO_STORE = {
  embedded: 'Free DATA_DIR, or follow the sentence above.',
  remote: 'Start it, or set MONGODB_URI to its address; every host of the replica set must be reachable from here.',
};

/** Examines everything; `sound` unless something is bad. */
export async function examine(env: Terminal['env']): Promise<Report> {
  const findings = await findingsOf(env);
  const sound = findings.every(({ state }) => state !== 'bad');
  return { lines: [...findings.flatMap(linesOf), summaryOf(findings)], json: { sound, findings }, sound };
}

async function findingsOf(env: Terminal['env']): Promise<Finding[]> {
  const config = configOrProblems(env);
  if (Array.isArray(config)) return config;
  const fault = folderFault(config);
  return [
    ...configurationFindings(config),
    ...misspeltVariables(env).map((says) => warn('configuration', says, 'Correct its name, or unset it.')),
    descriptorFinding(),
    ...folderFindings(config, fault),
    ...(hasStore(config) ? await withStore(config) : fault ? [] : [await newStoreFinding(config)]),
    ...(hasStore(config) ? [] : await nodeFindings(config)),
    ...(await publicUrlFindings(config)),
    ...(await mailFindings(config)),
  ];
}

function configOrProblems(env: Terminal['env']): Config | Finding[] {
  try {
    return loadConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) => bad('configuration', problem, 'Set this variable (docs/configuration.md).'));
  }
}

/** Findings that need the store. If it does not respond, that is the only finding. */
async function withStore(config: Config): Promise<Finding[]> {
  const remote = config.mongodbUri !== undefined;
  const store = await openStoreBeside(config).catch((error: unknown) => error);
  if (store instanceof Error) return [await storeFault(store, remote)];
  const { connection, close } = store as Awaited<ReturnType<typeof openStoreBeside>>;
  try {
    return [...(await storeFindings(config, connection)), ...(await chainFindings(config, connection))];
  } finally {
    await close();
  }
}

/** The finding of an embedded store before its first start. */
async function newStoreFinding({ dataDir }: Config): Promise<Finding> {
  try {
    if (existsSync(dataDir)) (await import('../engine/index.js')).checkFolder(dataDir);
    return ok('store', 'there is no data yet: the first start creates it');
  } catch (error) {
    if (error instanceof Error) return storeFault(error, false);
    throw error;
  }
}

async function storeFault(error: Error, remote: boolean): Promise<Finding> {
  const { failureSentence } = await import('../process/failure.js');
  const says = remote && isUnreachable(error) ? 'The store at MONGODB_URI does not respond.' : failureSentence(error);
  return bad('store', says, remote ? NO_STORE.remote : NO_STORE.embedded);
}

function linesOf({ part, state, says, mend }: Finding): string[] {
  const line = `${state.padEnd(5)} ${part.padEnd(14)} ${says}`;
  return mend === undefined ? [line] : [line, `${' '.repeat(21)}${mend}`];
}

function summaryOf(findings: readonly Finding[]): string {
  const count = (wanted: Finding['state']): number => findings.filter(({ state }) => state === wanted).length;
  const [faults, warnings] = [count('bad'), count('warn')];
  if (faults === 0 && warnings === 0) return `all is well: ${countOf(findings.length, 'check')}`;
  return `${countOf(findings.length, 'check')}: bad ${faults}, warnings ${warnings}`;
}
