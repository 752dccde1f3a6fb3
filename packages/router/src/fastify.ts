export { type FastifyPlugin, toFastifyPlugin } from './lib/mount/to-fastify-plugin.ts'
