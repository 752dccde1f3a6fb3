// #region next
// app/dashboard/[[...path]]/route.ts
async function serve(request: Request): Promise<Response> {
  const { dashboard } = await import('./dashboard.ts') // on the first request, since next build has no database
  return dashboard.fetch(request)
}

export { serve as GET, serve as HEAD, serve as POST }
// #endregion
