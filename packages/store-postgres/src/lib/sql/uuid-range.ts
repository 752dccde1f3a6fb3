/** Sorts before every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'
/** Sorts after every id. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
