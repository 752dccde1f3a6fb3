import { expect, it } from 'vitest'
import { assertSupportedRuntime } from './canary-listener.ts'
import { createHttpsTransport } from './https-transport.ts'
import { type ProvePinningOptions, provePinning } from './pinning-canary.ts'

type CreateTransport = NonNullable<ProvePinningOptions['createTransport']>

it('confirms that attempts on this runtime connect only to judged addresses', async () => {
  await expect(provePinning()).resolves.toBeUndefined()
})

it.each<[string, RegExp, CreateTransport]>([
  [
    'ignores the resolver, as old versions of Bun do',
    /did not call its resolver/,
    (options) => createHttpsTransport({ ...options, resolve: async () => ['127.0.0.1'] }),
  ],
  [
    'calls the resolver but connects elsewhere',
    /did not connect to the resolved/,
    (options) =>
      createHttpsTransport({
        ...options,
        addressPolicy: { ...options.addressPolicy, allowedCidrs: ['127.0.0.0/8'] },
        resolve: async (name, context) => {
          await options.resolve?.(name, context)
          return ['127.0.0.2']
        },
      }),
  ],
  [
    'calls the resolver but connects by name',
    /was not resolved/,
    ({ addressPolicy = {}, resolve, ...options }) =>
      createHttpsTransport({
        ...options,
        addressPolicy: {
          ...addressPolicy,
          allowedCidrs: addressPolicy.allowedCidrs?.map((block) => (block === '::1/128' ? '127.0.0.1/32' : block)),
        },
        resolve: async (name, context) =>
          (await resolve?.(name, context))?.map((address) => (address === '::1' ? '127.0.0.1' : address)) ?? [],
      }),
  ],
  [
    'does not judge addresses',
    /did not block an address/,
    (options) =>
      createHttpsTransport({ ...options, addressPolicy: { ...options.addressPolicy, allowedCidrs: ['0.0.0.0/0'] } }),
  ],
  [
    'judges only the first address',
    /one address outside/,
    (options) =>
      createHttpsTransport({
        ...options,
        resolve: async (name, context) => (await options.resolve?.(name, context))?.slice(0, 1) ?? [],
      }),
  ],
])('refuses a transport that %s', async (_what, message, createTransport) => {
  await expect(provePinning({ createTransport })).rejects.toMatchObject({
    code: 'PINNING_UNSUPPORTED',
    message: expect.stringMatching(message),
  })
})

it('refuses versions of Bun that accept certificates for other names, but no later versions', () => {
  for (const version of ['0.8.1', '1.1.45', '1.3.9'])
    expect(() => assertSupportedRuntime(version), version).toThrow(
      expect.objectContaining({ code: 'PINNING_UNSUPPORTED', message: expect.stringContaining(version) }),
    )
  for (const version of ['1.4.0', '1.10.2', '2.0.0', undefined])
    expect(() => assertSupportedRuntime(version), version).not.toThrow()
})
