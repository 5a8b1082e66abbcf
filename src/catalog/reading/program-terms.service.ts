// The part of the catalog that verification needs: a program with everything that its proofs depend on, as stored now.
import type { AskedField, Condition, Family } from '../../conditions/index.js';
import type { IssuingCatalog } from './issuing.service.js';
import type {
  AcceptedCredential,
  CatalogModels,
  CredentialRow,
  DataPoint,
  IssuerRow,
  ProgramRow,
  SchemaVersionRow,
  VerifierRow,
} from '../rows/models.js';
import {
  type Askability,
  askabilityOf,
  askedFields,
  walletTrustOf,
  type WalletAcceptance,
} from '../records/askability.js';
import { familiesOf, hasZkKeys, provabilityOf, type Provability } from '../records/provability.js';

/** A live credential that a program accepts. */
export interface AcceptedTerms {
  credentialId: string;
  issuerId: string;
  issuerDid: string;
  /** Whether its issuer is one of ours. */
  managed: boolean;
  /** Certificates of its issuer's authorities, PEM. */
  anchors?: readonly string[];
  /** Null if they are stored unparsed: nothing can be proven then. */
  conditions: Condition[] | null;
  /** Families of the fields that the conditions name, by name. */
  families: [field: string, family: Family][];
  /** The type of its form for wallets; left out: the address of its type metadata at this gateway. */
  vct?: string;
  /** What wallets are asked of that form; undefined if they cannot be asked. @param now ms since 1970 UTC, for relative dates */
  asked(now: number): AskedField[] | undefined;
}

export interface ProgramTerms extends Provability {
  programId: string;
  verifierId: string;
  /** Compliant verifications that one holder may have; null: any number. */
  maxPerHolder: number | null;
  /** Whether it also asks for the compliance access key. */
  cak: boolean;
  /** Whether wallets of others may be asked to disclose values that the conditions do not state. */
  disclose: boolean;
  accepted: AcceptedTerms[];
}

/** The verifier, as shown to a holder. */
export interface ProgramNames {
  name: string;
  verifierName: string;
  verifierDid: string;
}

/** A credential that a program accepts, as shown to a holder. */
export interface AcceptedNames {
  name: string;
  issuerName: string;
  /** The titles of fields. */
  titles: ReadonlyMap<string, string>;
}

/** Programs, for verification. */
export class ProgramCatalog {
  constructor(
    private readonly models: CatalogModels,
    private readonly catalog: IssuingCatalog,
    private readonly clock: () => number,
  ) {}

  /** The terms of a live program, or null. Four commands at most, whatever it accepts. */
  async terms(programId: string): Promise<ProgramTerms | null> {
    const program = await this.models.programs.findOne({ _id: programId, live: true }).lean<ProgramRow>();
    if (!program) return null;
    const accepted = acceptedBy(program, await this.#related([program]));
    const { verifierId, maxPerHolder = null, cak = false, disclose = false } = program;
    return {
      programId,
      verifierId,
      maxPerHolder,
      cak,
      disclose,
      accepted: accepted.map((rows) => acceptedTerms(rows, disclose)),
      ...this.#provability(accepted),
    };
  }

  /** What can be proven of these programs, and what wallets can be asked, by id. Four commands at most. */
  async provabilities(programIds: readonly string[]): Promise<ReadonlyMap<string, Provability & Askability>> {
    const programs = await this.models.programs.find({ _id: { $in: programIds } }).lean<ProgramRow[]>();
    const related = await this.#related(programs);
    return new Map(programs.map((program) => [program._id, this.#faults(program, acceptedBy(program, related))]));
  }

  /** Names of a program and its verifier, retired ones too. Two commands. */
  async names(programId: string): Promise<ProgramNames> {
    const program = await this.models.programs.findById(programId, { name: 1, verifierId: 1 }).lean<ProgramRow>();
    const verifier = await this.models.verifiers.findById(program?.verifierId ?? '').lean<VerifierRow>();
    return {
      name: program?.name ?? programId,
      verifierName: verifier?.name ?? '',
      verifierDid: verifier?.verifierDid ?? '',
    };
  }

  /** Names of credentials, of their issuers and of their data points, retired ones too, by credentialId. Three commands at most. */
  async acceptedNames(
    accepted: readonly { credentialId: string; issuerId: string }[],
  ): Promise<ReadonlyMap<string, AcceptedNames>> {
    const ids = (of: readonly string[]) => ({ _id: { $in: [...new Set(of)] } });
    const [credentials, issuers] = await Promise.all([
      this.models.credentials.find(ids(accepted.map(({ credentialId }) => credentialId))).lean<CredentialRow[]>(),
      this.models.issuers.find(ids(accepted.map(({ issuerId }) => issuerId)), { name: 1 }).lean<IssuerRow[]>(),
    ]);
    const keys = credentials.map(({ schemaId, schemaVersion: version }) => ({ schemaId, version }));
    const versions = await this.catalog.schemaVersions(keys);
    const rows = new Map(credentials.map((row) => [row._id, row]));
    const issuerNames = new Map(issuers.map(({ _id, name }) => [_id, name]));
    return new Map(
      accepted.map(({ credentialId, issuerId }) => {
        const row = rows.get(credentialId);
        const { dataPoints = [] } = versions.get(`${row?.schemaId}@${row?.schemaVersion}`) ?? {};
        const titles = new Map(dataPoints.map(({ name, title }) => [name, title]));
        return [
          credentialId,
          { name: row?.name ?? credentialId, issuerName: issuerNames.get(issuerId) ?? issuerId, titles },
        ];
      }),
    );
  }

  #provability(accepted: readonly AcceptedRows[]): Provability {
    const acceptances = accepted.map(({ acceptance, credential, issuer, dataPoints }) => ({
      ...acceptance,
      dataPoints,
      provable: credential.provable ?? null,
      hasKeys: hasZkKeys(issuer),
    }));
    return provabilityOf(acceptances, this.clock());
  }

  #faults({ disclose = false }: ProgramRow, accepted: readonly AcceptedRows[]): Provability & Askability {
    const askability = askabilityOf(accepted.map(walletAcceptance), disclose, this.clock());
    return { ...this.#provability(accepted), ...askability };
  }

  async #related(programs: readonly ProgramRow[]): Promise<Related> {
    const credentialIds = programs.flatMap((row) => row.acceptedCredentials.map(({ credentialId }) => credentialId));
    const rows = await this.models.credentials
      .find({ _id: { $in: [...new Set(credentialIds)] }, live: true })
      .lean<CredentialRow[]>();
    const issuerIds = [...new Set(rows.map(({ issuerId }) => issuerId))];
    const issuers = await this.models.issuers.find({ _id: { $in: issuerIds } }).lean<IssuerRow[]>();
    const versions = rows.map(({ schemaId, schemaVersion: version }) => ({ schemaId, version }));
    return {
      credentials: new Map(rows.map((row) => [row._id, row])),
      issuers: new Map(issuers.map((row) => [row._id, row])),
      versions: await this.catalog.schemaVersions(versions),
    };
  }
}

/** Rows that programs depend on, by id. */
interface Related {
  credentials: ReadonlyMap<string, CredentialRow>;
  issuers: ReadonlyMap<string, IssuerRow>;
  versions: ReadonlyMap<string, SchemaVersionRow>;
}

interface AcceptedRows {
  acceptance: AcceptedCredential;
  credential: CredentialRow;
  issuer: IssuerRow;
  dataPoints: readonly DataPoint[];
}

/** Live credentials that a program accepts. */
function acceptedBy({ acceptedCredentials }: ProgramRow, { credentials, issuers, versions }: Related): AcceptedRows[] {
  return acceptedCredentials.flatMap((acceptance) => {
    const credential = credentials.get(acceptance.credentialId);
    const issuer = credential && issuers.get(credential.issuerId);
    if (!credential || !issuer) return [];
    const { dataPoints = [] } = versions.get(`${credential.schemaId}@${credential.schemaVersion}`) ?? {};
    return [{ acceptance, credential, issuer, dataPoints }];
  });
}

const walletAcceptance = ({ acceptance, credential, issuer, dataPoints }: AcceptedRows): WalletAcceptance => ({
  ...acceptance,
  dataPoints,
  derived: credential.derived ?? [],
  hasVct: credential.vct !== undefined,
  trust: walletTrustOf(issuer),
});

function acceptedTerms(rows: AcceptedRows, disclose: boolean): AcceptedTerms {
  const { acceptance, credential, issuer, dataPoints } = rows;
  const { credentialId, conditions } = acceptance;
  const family = familiesOf(dataPoints);
  const fields = [...new Set((conditions ?? []).map(({ field }) => field))].sort();
  return {
    credentialId,
    issuerId: issuer._id,
    issuerDid: issuer.issuerDid,
    managed: issuer.managed,
    ...(issuer.anchors === undefined ? {} : { anchors: issuer.anchors }),
    conditions: conditions as Condition[] | null,
    families: fields.flatMap((field): [string, Family][] => {
      const one = family(field);
      return one === undefined ? [] : [[field, one]];
    }),
    ...(credential.vct === undefined ? {} : { vct: credential.vct }),
    asked: (now) => askedFields(walletAcceptance(rows), disclose, now).fields,
  };
}
