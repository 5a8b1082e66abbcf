// $redact: keeps, prunes or descends into each document, by an expression.
import { type Doc, isDocument, setOwn } from '../../bson/types.js';
import { fail } from '../../errors.js';
import { compileNode } from '../../expressions/expression.js';
import type { StageCompiler } from '../stage.js';
import { childVars, type Evaluate, type Vars } from '../../expressions/types.js';

interface Redaction {
  root: Doc;
  verdict: Evaluate;
  vars: Vars;
}

function redactDoc(doc: Doc, redaction: Redaction): Doc | undefined {
  const { vars } = redaction;
  vars.CURRENT = doc;
  const verdict = redaction.verdict(redaction.root, vars);
  if (verdict === 'keep') return doc;
  if (verdict === 'prune') return undefined;
  if (verdict !== 'descend') {
    fail(17053, '$redact must return $$DESCEND, $$PRUNE, or $$KEEP');
  }
  const out: Doc = {};
  for (const name of Object.keys(doc)) {
    const value = redactValue(doc[name], redaction);
    if (value !== undefined) setOwn(out, name, value);
  }
  return out;
}

function redactValue(value: unknown, redaction: Redaction): unknown {
  if (Array.isArray(value)) {
    return value.map((each) => redactValue(each, redaction)).filter((each) => each !== undefined);
  }
  return isDocument(value) ? redactDoc(value, redaction) : value;
}

/** $redact: an expression that returns $$KEEP, $$PRUNE or $$DESCEND for each (embedded) document. */
export const redact: StageCompiler = (spec, { names }) => {
  const { run } = compileNode(spec, [...names, 'CURRENT']);
  return {
    kind: 'map',
    map: (doc, vars) => redactDoc(doc, { root: doc, verdict: run, vars: childVars(vars) }) ?? null,
  };
};
