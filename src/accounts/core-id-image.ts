// What wallets show for a core id: its metadata (ERC-721) and its image.
import type { CoreIdDetails } from '../holders/types.js';
import type { CoreIdMetadata } from './types.js';

/** How many digits of the node are shown instead of a name. */
const SHOWN_DIGITS = 10;

const titleOf = ({ name, node }: CoreIdDetails): string => name ?? node.slice(0, 2 + SHOWN_DIGITS);

/** ERC-721's metadata. */
export function metadataOf(coreId: CoreIdDetails): CoreIdMetadata {
  return {
    name: titleOf(coreId),
    description: 'An identity record that stays with its account.',
    image: coreId.imageUrl,
    attributes: [
      { trait_type: 'status', value: coreId.status },
      { trait_type: 'node', value: coreId.node },
    ],
  };
}

/** An SVG without scripts, styles or links. Its colour is computed from the node. */
export function imageOf(coreId: CoreIdDetails): string {
  const hue = Number.parseInt(coreId.node.slice(2, 6), 16) % 360;
  const title = titleOf(coreId);
  // Names are a-z, 0-9, hyphens and dots: there is nothing to escape.
  const size = Math.min(36, Math.floor(600 / title.length));
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" role="img">',
    `<title>${title}</title>`,
    `<rect width="400" height="400" fill="hsl(${hue},45%,28%)"/>`,
    `<circle cx="200" cy="150" r="70" fill="none" stroke="hsl(${hue},60%,75%)" stroke-width="14"/>`,
    `<text x="200" y="310" fill="#fff" font-family="sans-serif" font-size="${size}" text-anchor="middle">${title}</text>`,
    '</svg>',
  ].join('');
}
