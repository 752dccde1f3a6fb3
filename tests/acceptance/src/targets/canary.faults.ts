import { execFileSync } from 'node:child_process'
import { createServer } from 'node:net'
import { OLD_BUN, RUNTIMES } from '@callboard/runtimes'
import { makeCertificate, startProxy, startReceiver } from '@callboard/testbed'
import { describe, expect, it } from 'vitest'
import type { NamespaceOptions, NamespaceReport } from './canary-namespace.ts'
import { HOSTILE_ADDRESSES, HOSTILE_URLS, LOOPBACK_NOTATIONS, PUBLIC_ADDRESSES } from './hostile-targets.ts'
import { runCanary, runProgram } from './run-canary.ts'

/** A network and mount namespace in which every address belongs to this machine and 127.0.0.1 is the name server. */
const NAMESPACE = [
  'set -e',
  'ip link set lo up',
  'ip route add local 0.0.0.0/0 dev lo',
  'ip -6 route add local ::/0 dev lo',
  // This mount disappears with the namespace.
  'mount -t tmpfs tmpfs /mnt',
  'echo "nameserver 127.0.0.1" > /mnt/resolv.conf',
  'mount --bind /mnt/resolv.conf /etc/resolv.conf',
  'exec "$@"',
].join('\n')
const UNSHARE = { command: 'unshare', args: ['--map-root-user', '--net', '--mount', 'sh', '-c', NAMESPACE, 'sh'] }

const permitted = ((): boolean => {
  try {
    execFileSync(UNSHARE.command, [...UNSHARE.args, 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()
if (!permitted)
  console.warn(
    'Network namespaces are not permitted here. The canary on every address is skipped; the loopback canary runs.',
  )

const hook = (name: string): string => `https://${name}.hooks.example.com/hook`

describe.skipIf(!permitted)('in a network where every address answers', () => {
  const [good = ''] = PUBLIC_ADDRESSES
  const publicNames = PUBLIC_ADDRESSES.map((address, index) => [`p${index}`, [address]] as const)
  const hostileNames = HOSTILE_ADDRESSES.flatMap((address, index) => [
    [`h${index}`, [address]] as const,
    [`m${index}`, [good, address]] as const,
  ])
  /**
   * Names whose address is good at the first two lookups and hostile at every later one. A worker looks up the name of
   * a new host before its first attempt, and again for the attempt.
   */
  const rebinding = HOSTILE_ADDRESSES.filter((_, index) => index % 10 === 3).map(
    (address, index) => [`r${index}`, [good], [good], [address]] as const,
  )
  const options: NamespaceOptions = {
    urls: [...HOSTILE_URLS, ...[...publicNames, ...hostileNames, ...rebinding].map(([name]) => hook(name))],
    names: [...publicNames, ...hostileNames, ...rebinding].map(([name, ...answers]) => [
      `${name}.hooks.example.com`,
      ...answers,
    ]),
    runtimes: RUNTIMES,
  }
  let reports: readonly NamespaceReport[] = []

  it('the worker makes an attempt to every target', { timeout: 600_000 }, async () => {
    reports = await runProgram('./canary-namespace.ts', options, {
      ...UNSHARE,
      args: [...UNSHARE.args, process.execPath],
    })
    const started = RUNTIMES.map(({ name }) => ({ runtime: name }))
    expect(reports.map(({ runtime, refused }) => (refused ? { runtime, refused } : { runtime }))).toEqual(started)
  })

  describe.each(RUNTIMES)('on $name', ({ name }) => {
    const report = (): NamespaceReport => reports.find(({ runtime }) => runtime === name)!

    it('every public address gets its delivery, with the strict policy and the default resolver', () => {
      const { results } = report()
      for (const [index, address] of PUBLIC_ADDRESSES.entries()) expect(results[hook(`p${index}`)], address).toBe(200)
    })

    it('every hostile target is blocked', () => {
      const { results } = report()
      for (const url of [...HOSTILE_URLS, ...hostileNames.map(([each]) => hook(each))])
        expect(results[url], url).toBe('blocked')
    })

    it('a name that turns hostile after its lookup gets its delivery at the good address', () => {
      for (const [each] of rebinding) expect(report().results[hook(each)], each).toBe(200)
    })

    it('listeners saw connections, and the kernel sent SYNs, only for public addresses', () => {
      const { reached, begun } = report()
      const plain = (address: string): string => address.replace(/^::ffff:/, '')
      expect([...new Set(reached.map(plain))].toSorted()).toEqual([...new Set(PUBLIC_ADDRESSES.map(plain))].toSorted())
      // The worker's own start check makes two more connections.
      expect(begun).toBe(reached.length + 2)
    })
  })
})

describe.each(RUNTIMES)('on the loopback of this machine, on $name', (runtime) => {
  it('connections reach only the allowed address, whatever notation or name leads to another one', async () => {
    const reached: string[] = []
    const server = createServer((socket) => {
      reached.push(`${socket.localAddress}`)
      socket.on('error', () => undefined).once('data', () => socket.destroy())
    })
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '::', () => resolve((server.address() as { port: number }).port))
    })
    const hostile = LOOPBACK_NOTATIONS.map((host) => `https://${host}:${port}/hook`)
    const control = `https://127.9.9.9:${port}/hook`
    const targets = { allowedCidrs: ['127.9.9.9/32'], allowedPorts: [port], allowedHostNames: ['localhost'] }
    const { cert: ca } = await makeCertificate()
    const { results } = await runCanary({ urls: [...hostile, control], targets, ca }, runtime)
    server.close()
    for (const url of hostile) expect(results[url], url).toBe('blocked')
    expect(new Set(reached)).toEqual(new Set(['::ffff:127.9.9.9']))
  })

  it('proxies from the environment are neither used nor connected to', async () => {
    const [receiver, proxy] = [await startReceiver(), await startProxy()]
    const names = ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
    const env = {
      ...Object.fromEntries(names.map((name) => [name, proxy.url])),
      NODE_USE_ENV_PROXY: '1',
      // Otherwise Deno's update check would connect to the proxy.
      DENO_NO_UPDATE_CHECK: '1',
      no_proxy: '',
      NO_PROXY: '',
    }
    const urls = [receiver.url('/hook'), receiver.url('/hook').replace('127.0.0.1', 'localhost')]
    const targets = {
      allowedCidrs: ['127.0.0.0/8', '::1/128'],
      allowedPorts: 'any',
      allowedHostNames: ['localhost'],
    } as const
    const { results } = await runCanary({ urls, targets, ca: receiver.ca }, runtime, env)
    expect(results).toEqual(Object.fromEntries(urls.map((url) => [url, 200])))
    expect(proxy.connections()).toBe(0)
    await Promise.all([receiver.stop(), proxy.stop()])
  })

  it('the platform’s egress proxy is used, by name and by address', async () => {
    const [receiver, proxy] = [await startReceiver(), await startProxy()]
    const urls = [receiver.url('/hook'), receiver.url('/hook').replace('127.0.0.1', 'localhost')]
    const targets = { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any', allowedHostNames: ['localhost'] } as const
    const { results } = await runCanary({ urls, targets, ca: receiver.ca, egressProxy: { url: proxy.url } }, runtime)
    expect(results).toEqual(Object.fromEntries(urls.map((url) => [url, 200])))
    expect(proxy.log.map(({ authority }) => authority).toSorted()).toEqual(
      urls.map((url) => new URL(url).host).toSorted(),
    )
    await Promise.all([receiver.stop(), proxy.stop()])
  })
})

describe('a worker does not start', () => {
  const options = { urls: [], targets: {}, ca: '' }
  const ignoring = new URL('./ignore-lookup.ts', import.meta.url).href
  const refused = { results: {}, refused: 'PINNING_UNSUPPORTED' }

  it.each(RUNTIMES.filter(({ name }) => name.startsWith('Node')))(
    'on $name when its TLS connections ignore the given address',
    async ({ command, args }) => {
      const { cert: ca } = await makeCertificate()
      const runtime = { command, args: [...args, '--import', ignoring] }
      expect(await runCanary({ ...options, ca }, runtime)).toEqual(refused)
    },
  )

  it.skipIf(OLD_BUN === undefined)(
    'on Bun 1.1, which ignores resolvers and agents, with or without a proxy',
    async () => {
      const runtime = { command: OLD_BUN ?? '', args: [] }
      const { cert: ca } = await makeCertificate()
      expect(await runCanary({ ...options, ca }, runtime)).toEqual(refused)
      expect(await runCanary({ ...options, ca, egressProxy: { url: 'http://127.0.0.1:1' } }, runtime)).toEqual(refused)
    },
  )
})
