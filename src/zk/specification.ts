// A plan in the library's form: statements, the equalities between them, and their parameters. Statement 0 is the signature, statement 1 the
// commitment.
import { scalarOf } from './field.js';
import { type Library, rangeStatement } from './library.js';
import { type Accumulator, readAccumulator } from './lists.js';
import { type Parameters, SETUP } from './parameters.js';
import { PlanError, type Statement } from './plan.js';

/** Statements after the first two. */
export type Hidden = Exclude<Statement, { kind: 'disclosed' }>;

/** The part that prover and verifier both build from the plan. */
export interface Specification {
  hidden: Hidden[];
  /** Disclosed messages by position. */
  disclosed: Map<number, Uint8Array>;
  /** All statements but that of the signature, which differs between the two sides. */
  statements: Uint8Array[];
  equalities: Uint8Array[];
  setup: Uint8Array[];
}

export interface SpecificationParts {
  library: Library;
  parameters: Parameters;
  plan: readonly Statement[];
  accumulators: readonly Accumulator[];
  commitment: Uint8Array;
}

/** How many statements precede those of the plan. */
const FIRST = 2;

/** @throws PlanError when a list has no accumulator; the library's error for a commitment that is not a point. */
export function specify({ library, parameters, plan, accumulators, commitment }: SpecificationParts): Specification {
  const hidden = plan.filter((each): each is Hidden => each.kind !== 'disclosed');
  const disclosed = new Map(
    plan.flatMap((each) => (each.kind === 'disclosed' ? [[each.at, scalarOf(library, each.message)] as const] : [])),
  );
  const needsSetup = hidden.some(({ kind }) => kind !== 'member');
  return {
    hidden,
    disclosed,
    statements: [
      library.generatePedersenCommitmentG1Statement(parameters.commitment, commitment),
      ...hidden.map((each) => statementOf(library, parameters, each, accumulators)),
    ],
    equalities: equalitiesOf(library, hidden),
    setup: needsSetup ? parameters.setup : [],
  };
}

function statementOf(
  library: Library,
  parameters: Parameters,
  statement: Hidden,
  accumulators: readonly Accumulator[],
): Uint8Array {
  if (statement.kind === 'range') {
    const { low, high } = statement;
    return rangeStatement(library, { low, high: high + 1n }, SETUP.ranges);
  }
  if (statement.kind === 'inequality') {
    const unequalTo = scalarOf(library, statement.message);
    return library.generatePublicInequalityG1StatementFromParamRefs(unequalTo, SETUP.inequalities);
  }
  const list = readAccumulator(accumulators, statement.field);
  if (list === undefined) throw new PlanError(`the list of "${statement.field}" has no accumulator`);
  return parameters.member(list);
}

/** The commitment is to message 0; every other statement is about the message at its position. */
function equalitiesOf(library: Library, hidden: readonly Hidden[]): Uint8Array[] {
  const groups = new Map<number, [number, number][]>([[0, [[1, 0]]]]);
  hidden.forEach(({ at }, index) => {
    const group = groups.get(at) ?? [];
    groups.set(at, [...group, [index + FIRST, 0]]);
  });
  return [...groups].map(([at, others]) =>
    library.generateWitnessEqualityMetaStatement(new Set<[number, number]>([[0, at], ...others])),
  );
}
