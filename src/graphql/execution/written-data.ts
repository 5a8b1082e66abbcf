// Results of operations that are JSON text already, or nothing but a refusal.
import { type ExecutionResult, type FormattedExecutionResult, GraphQLError } from 'graphql';
import { type DomainError, ERRORS } from '../../base/errors.js';

/** The data of an answer that is JSON text already. */
export class WrittenData {
  constructor(readonly text: string) {}

  /** For whoever writes it as a part of something else. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** A text as the data of a result. */
export function writtenData(text: string): ExecutionResult['data'] {
  return new WrittenData(text) as unknown as ExecutionResult['data'];
}

/** An answer as JSON text. */
export function textOf(result: ExecutionResult | FormattedExecutionResult): string {
  const { data, ...others } = result;
  if (!(data instanceof WrittenData)) return JSON.stringify(result);
  const rest = JSON.stringify(others);
  return rest === '{}' ? `{"data":${data.text}}` : `{"data":${data.text},${rest.slice(1)}`;
}

/** An answer that is nothing but the reason why there is none. */
export function refusedWith(error: DomainError): ExecutionResult {
  const { status } = ERRORS[error.code];
  return { errors: [new GraphQLError(error.message, { originalError: error, extensions: { http: { status } } })] };
}
