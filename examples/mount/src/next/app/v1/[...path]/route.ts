import { router } from '../../../../callboard.ts'

/** Callboard reads the database for each request. */
export const dynamic = 'force-dynamic'

const { fetch } = router

export { fetch as DELETE, fetch as GET, fetch as HEAD, fetch as OPTIONS, fetch as PATCH, fetch as POST, fetch as PUT }
