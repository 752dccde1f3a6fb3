import { expect, it } from 'vitest'
import { assertSupportedRuntime } from './canary-listener.ts'
import { createHttpsTransport } from './https-transport.ts'
import { type ProvePinningOptions, provePinning } from './pinning-canary.ts'

type CreateTransport = NonNullable<ProvePinningOptions['createTransport']>

it('proves that attempts go where the judged look-up says on this runtime', async () => {
  await expect(provePinning()).resolves.toBeUndefined()
})

it.each<[string, RegExp, CreateTransport]>([
  [
    'ignores the look-up, as old Bun does',
    /was not asked/,
    (options) => createHttpsTransport({ ...options, resolve: async () => ['127.0.0.1'] }),
  ],
  [
    'asks, but connects elsewhere',
    /did not go where/,
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
    'asks, but goes where the name leads by itself',
    /did not say/,
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
    'judges nothing',
    /a refused address was not refused/,
    (options) =>
      createHttpsTransport({ ...options, addressPolicy: { ...options.addressPolicy, allowedCidrs: ['0.0.0.0/0'] } }),
  ],
  [
    'judges the first address alone',
    /one refused address/,
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

it('refuses a Bun that takes certificates of other names, and no later one', () => {
  for (const version of ['0.8.1', '1.1.45', '1.3.9'])
    expect(() => assertSupportedRuntime(version), version).toThrow(
      expect.objectContaining({ code: 'PINNING_UNSUPPORTED', message: expect.stringContaining(version) }),
    )
  for (const version of ['1.4.0', '1.10.2', '2.0.0', undefined])
    expect(() => assertSupportedRuntime(version), version).not.toThrow()
})
