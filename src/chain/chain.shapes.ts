// The anchor, for shapes of other domains that are not described as records yet.
import { anchorInfo } from './types.js';

export const ANCHOR = anchorInfo;
