// #region next
// app/dashboard/[[...path]]/route.ts
async function serve(request: Request): Promise<Response> {
  const { dashboard } = await import('./dashboard.ts') // imported here, because `next build` has no database
  return dashboard.fetch(request)
}

export { serve as GET, serve as HEAD, serve as POST }
// #endregion
