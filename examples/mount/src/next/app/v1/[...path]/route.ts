/**
 * Imports the platform on the first request, because Next imports routes during its build, which has no database or
 * secret keys.
 */
async function serve(request: Request): Promise<Response> {
  const { router } = await import('../../../../callboard.ts')
  return router.fetch(request)
}

export { serve as DELETE, serve as GET, serve as HEAD, serve as OPTIONS, serve as PATCH, serve as POST, serve as PUT }
