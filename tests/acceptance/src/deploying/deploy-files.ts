import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments } from 'yaml'
import * as z from 'zod'

/** The files that docs/deploying.md shows. */
export const DEPLOY: string = fileURLToPath(new URL('../../../../examples/deploy/', import.meta.url))

export const deployFile = (name: string): string => join(DEPLOY, name)

/** What one file starts: the command of each process, and how many seconds the process gets to stop. */
export interface Started {
  readonly [process: string]: { readonly command: readonly string[]; readonly stopSeconds: number | undefined }
}

const read = (name: string): Promise<string> => readFile(deployFile(name), 'utf8')

/** The command of the image. */
export async function imageCommand(): Promise<string[]> {
  const [, list = ''] = /^CMD (.*)$/m.exec(await read('Dockerfile')) ?? []
  return z.array(z.string()).parse(JSON.parse(list))
}

export async function startedByCompose(): Promise<Started> {
  const service = z.object({ command: z.array(z.string()).optional(), stop_grace_period: z.string().optional() })
  const { services } = z
    .object({ services: z.record(z.string(), service) })
    .parse(parse(await read('compose.yaml'), { merge: true }))
  return Object.fromEntries(
    Object.entries(services).flatMap(([name, { command, stop_grace_period: period = '' }]) =>
      command === undefined ? [] : [[name, { command, stopSeconds: Number.parseInt(period, 10) }]],
    ),
  )
}

const manifest = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        terminationGracePeriodSeconds: z.number().optional(),
        containers: z.array(z.object({ name: z.string(), command: z.array(z.string()) })),
      }),
    }),
  }),
})

export async function startedByKubernetes(): Promise<Started> {
  const texts = await Promise.all(['release', 'server', 'worker'].map((name) => read(`kubernetes/${name}.yaml`)))
  return Object.fromEntries(
    texts.flatMap((text) => {
      const { terminationGracePeriodSeconds: stopSeconds, containers } = manifest.parse(
        parseAllDocuments(text)[0]?.toJS(),
      ).spec.template.spec
      return containers.map(({ name, command }) => [name, { command, stopSeconds }])
    }),
  )
}

/** The units, as worker 1 of a machine would start. */
export async function startedBySystemd(): Promise<Started> {
  const units = { release: 'shop-release.service', server: 'shop-server.service', worker: 'shop-worker@.service' }
  const entries = Object.entries(units).map(async ([name, file]) => {
    const text = (await read(`systemd/${file}`)).replaceAll('%i', '1')
    const [, command = ''] = /^ExecStart=(.*)$/m.exec(text) ?? []
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(text) ?? []
    const words = command.replace('/usr/bin/', '').replace('/opt/shop/', '').split(' ')
    return [name, { command: words, stopSeconds: seconds === undefined ? undefined : Number(seconds) }]
  })
  return Object.fromEntries(await Promise.all(entries))
}
