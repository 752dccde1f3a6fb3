export async function POST(request: Request): Promise<Response> {
  const { sell } = await import('../../../callboard.ts')
  return Response.json(await sell((await request.json()).email), { status: 201 })
}
