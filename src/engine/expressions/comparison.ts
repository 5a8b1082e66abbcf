// $cmp and its six relatives: the order of all BSON values, missing before null.
import { compareValues, equalValues } from '../bson/compare.js';
import { type ExpressionOperator, int, listOperator, type OperatorTable } from './operator.js';

function comparison(name: string, holds: (order: number) => boolean): ExpressionOperator {
  return listOperator(name, [2, 2], ([a, b]) => holds(compareValues(a, b)));
}

/** The comparison operators. */
export const COMPARISON: OperatorTable = {
  $cmp: listOperator('$cmp', [2, 2], ([a, b]) => int(compareValues(a, b))),
  $eq: listOperator('$eq', [2, 2], ([a, b]) => equalValues(a, b)),
  $ne: listOperator('$ne', [2, 2], ([a, b]) => !equalValues(a, b)),
  $gt: comparison('$gt', (order) => order > 0),
  $gte: comparison('$gte', (order) => order >= 0),
  $lt: comparison('$lt', (order) => order < 0),
  $lte: comparison('$lte', (order) => order <= 0),
};
