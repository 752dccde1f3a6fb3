export const FRAMEWORKS = ['express', 'fastify', 'hono', 'nest', 'next', 'node'] as const
export type Framework = (typeof FRAMEWORKS)[number]

/** The files that `callboard init` writes, by their path: those for every framework, and those of each. */
export type Templates = Readonly<Record<Framework | 'every', Readonly<Record<string, string>>>>
