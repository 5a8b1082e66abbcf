// The sample catalog's issuers and verifiers: invented organisations of the kinds that really issue and verify credentials.

/** id, name, where it is from. */
export const ISSUERS: readonly (readonly [string, string, string])[] = [
  ['civic-registry', 'Aldermoor Civic Registry', 'government'],
  ['lumen-university', 'Lumen University', 'education'],
  ['brightwater-college', 'Brightwater Technical College', 'education'],
  ['northgate-bank', 'Northgate Mutual Bank', 'finance'],
  ['harbour-credit', 'Harbour Credit Union', 'finance'],
  ['veridian-kyc', 'Veridian Identity Checks', 'identity provider'],
  ['openwing-id', 'Openwing Identity', 'identity provider'],
  ['st-corvin-hospital', 'St Corvin General Hospital', 'health'],
  ['meadowlark-clinic', 'Meadowlark Travel Clinic', 'health'],
  ['tidewater-logistics', 'Tidewater Logistics', 'employer'],
  ['quillworks', 'Quillworks Studios', 'employer'],
  ['guild-of-engineers', 'Guild of Civil Engineers', 'professional body'],
  ['ferrous-games', 'Ferrous Games', 'community'],
  ['summit-trails', 'Summit Trails Association', 'community'],
];

/** Issuers whose keys the sandbox holds, so that issuing on behalf can be tried. */
export const MANAGED: ReadonlySet<string> = new Set(['civic-registry', 'lumen-university']);

/** id, name. */
export const VERIFIERS: readonly (readonly [string, string])[] = [
  ['rentwise', 'Rentwise Lettings'],
  ['palisade-exchange', 'Palisade Exchange'],
  ['corner-cellar', 'Corner Cellar Wines'],
  ['skybridge-air', 'Skybridge Air'],
  ['hireline', 'Hireline Recruiting'],
  ['mosaic-lending', 'Mosaic Lending'],
  ['arcadia-festival', 'Arcadia Festival'],
  ['city-transit', 'Aldermoor City Transit'],
  ['carehub', 'Carehub Network'],
];
