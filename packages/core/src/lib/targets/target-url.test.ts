import { describe, expect, it } from 'vitest'
import type { AddressPolicy } from './address-policy.ts'
import { parseTargetUrl, TARGET_URL_MAX_LENGTH, TARGET_URL_MESSAGE, type TargetRule } from './target-url.ts'

const label63 = 'a'.repeat(63)
const longPath = (length: number): string => `https://hooks.example.com/${'a'.repeat(length - 26)}`

/** Pairs of a URL as sent and its normalised form. */
const ACCEPTED: readonly [string, string][] = [
  ['https://hooks.example.com', 'https://hooks.example.com/'],
  ['https://hooks.example.com/', 'https://hooks.example.com/'],
  ['https://hooks.example.com/a/b', 'https://hooks.example.com/a/b'],
  ['https://hooks.example.com/a/b/', 'https://hooks.example.com/a/b/'],
  ['HTTPS://Hooks.Example.COM/A/b', 'https://hooks.example.com/A/b'],
  ['https://hooks.example.com:443/a', 'https://hooks.example.com/a'],
  ['https://hooks.example.com:0443/a', 'https://hooks.example.com/a'],
  ['https://hooks.example.com:/a', 'https://hooks.example.com/a'],
  ['https://hooks.example.com:8443/a', 'https://hooks.example.com:8443/a'],
  ['https://hooks.example.com./a', 'https://hooks.example.com/a'],
  ['https://hooks.example.com.:8443/a', 'https://hooks.example.com:8443/a'],
  ['https://hooks.example.com/a/../b/./c', 'https://hooks.example.com/b/c'],
  ['https://hooks.example.com/a?x=1&y=2', 'https://hooks.example.com/a?x=1&y=2'],
  ['https://hooks.example.com/a?y=2&x=1', 'https://hooks.example.com/a?y=2&x=1'],
  ['https://hooks.example.com/a?', 'https://hooks.example.com/a'],
  ['https://hooks.example.com?x=1', 'https://hooks.example.com/?x=1'],
  ['https://hooks.example.com/a%2Fb%2fc', 'https://hooks.example.com/a%2Fb%2fc'],
  ['https://hooks.example.com/ü', 'https://hooks.example.com/%C3%BC'],
  ['https://hooks.example.com/a?mail=a@b.example', 'https://hooks.example.com/a?mail=a@b.example'],
  ['https://hooks.example.com/@team', 'https://hooks.example.com/@team'],
  ['https://bücher.example/x', 'https://xn--bcher-kva.example/x'],
  ['https://xn--bcher-kva.example/x', 'https://xn--bcher-kva.example/x'],
  ['https://BÜCHER.example/x', 'https://xn--bcher-kva.example/x'],
  ['https://hooks。example。com/x', 'https://hooks.example.com/x'],
  ['https://a_b.example.com/x', 'https://a_b.example.com/x'],
  ['https://my--hook.example.com/x', 'https://my--hook.example.com/x'],
  ['https://1.example.com/x', 'https://1.example.com/x'],
  ['https://127.0.0.1.nip.example/x', 'https://127.0.0.1.nip.example/x'],
  ['https://localhost.example.com/x', 'https://localhost.example.com/x'],
  ['https://notlocal.example/x', 'https://notlocal.example/x'],
  ['https://mylocalhost.dev/x', 'https://mylocalhost.dev/x'],
  [`https://${label63}.example/x`, `https://${label63}.example/x`],
  [longPath(2_048), longPath(2_048)],
]

const REFUSED: readonly [unknown, TargetRule][] = [
  [undefined, 'not-a-string'],
  [null, 'not-a-string'],
  [42, 'not-a-string'],
  [['https://hooks.example.com'], 'not-a-string'],
  [new URL('https://hooks.example.com'), 'not-a-string'],
  [longPath(2_049), 'length'],
  [`https://hooks.example.com/${'😀'.repeat(2_048)}`, 'length'],
  ['', 'scheme'],
  [' https://hooks.example.com', 'characters'],
  ['https://hooks.example.com ', 'characters'],
  ['https://hooks.example.com/a b', 'characters'],
  ['https://hooks.example.com/a\tb', 'characters'],
  ['https://hooks.example.com/\r\nHost: x', 'characters'],
  ['https://hooks.example.com/\0', 'characters'],
  ['https://hooks.example.com/\u007f', 'characters'],
  ['https://hooks.example.com/\u0085', 'characters'],
  ['https://hooks.example.com/\ud800', 'characters'],
  ['https://hooks.example.com\\@10.0.0.1/', 'characters'],
  ['https:\\\\hooks.example.com', 'characters'],
  ['hooks.example.com', 'scheme'],
  ['//hooks.example.com', 'scheme'],
  ['https:hooks.example.com', 'scheme'],
  ['https:/hooks.example.com', 'scheme'],
  ['https:///hooks.example.com', 'scheme'],
  ['https://', 'scheme'],
  ['http://hooks.example.com', 'http'],
  ['http://localhost:3000', 'http'],
  ['ftp://hooks.example.com', 'scheme'],
  ['wss://hooks.example.com', 'scheme'],
  ['javascript:alert(1)', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['data:text/plain,x', 'scheme'],
  ['https://user:pass@hooks.example.com/', 'credentials'],
  ['https://user@hooks.example.com/', 'credentials'],
  ['https://@hooks.example.com/', 'credentials'],
  ['https://:@hooks.example.com/', 'credentials'],
  ['https://hooks.example.com?@10.0.0.1', 'credentials'],
  ['https://hooks.example.com/#a', 'fragment'],
  ['https://hooks.example.com/#', 'fragment'],
  ['https://hooks.example.com#@10.0.0.1/', 'credentials'],
  ['https://[hooks.example.com]/', 'unparsable'],
  ['https://hooks.example.com:65536/', 'unparsable'],
  ['https://hooks.example.com:-1/', 'unparsable'],
  ['https://hooks.example.com:https/', 'unparsable'],
  ['https://hooks.exa%6', 'unparsable'],
  ['https://hooks.example.256', 'unparsable'],
  ['https://1.2.3.4/', 'address'],
  ['https://8.8.8.8/', 'address'],
  ['https://127.0.0.1:8443/', 'address'],
  ['https://127.0.0.1./', 'address'],
  ['https://0x7f.1/', 'address'],
  ['https://2130706433/', 'address'],
  ['https://017700000001/', 'address'],
  ['https://127.1/', 'address'],
  ['https://①②⑦.0.0.1/', 'address'],
  ['https://%31%32%37.0.0.1/', 'address'],
  ['https://127。0。0。1/', 'address'],
  ['https://[::1]/', 'address'],
  ['https://[::ffff:7f00:1]/', 'address'],
  ['https://[2606:4700::1111]/', 'address'],
  ['https://[::ffff:8.8.8.8]/', 'address'],
  ['https://hooks/', 'single-label'],
  ['https://hooks./', 'single-label'],
  ['https://com/', 'single-label'],
  ['https://hooks.example.com../', 'host-name'],
  ['https://hooks..example.com/', 'host-name'],
  ['https://.example.com/', 'host-name'],
  ['https://-hooks.example.com/', 'host-name'],
  ['https://hooks-.example.com/', 'host-name'],
  [`https://a${label63}.example/`, 'host-name'],
  [`https://${`${label63}.`.repeat(4)}example/`, 'host-name'],
  ["https://ho'oks.example.com/", 'host-name'],
  ['https://ho*oks.example.com/', 'host-name'],
  ['https://ho~oks.example.com/', 'host-name'],
  ['https://hooks,example.com/', 'host-name'],
  ['https://localhost/', 'single-label'],
  ['https://localhost./', 'single-label'],
  ['https://app.localhost/', 'internal-name'],
  ['https://LOCALHOST.localdomain/', 'internal-name'],
  ['https://printer.local/', 'internal-name'],
  ['https://printer.local./', 'internal-name'],
  ['https://metadata.google.internal/', 'internal-name'],
  ['https://router.home.arpa/', 'internal-name'],
  ['https://home.arpa/', 'internal-name'],
  ['https://api.default.svc/', 'internal-name'],
  ['https://api.default.svc.cluster.local/', 'internal-name'],
  ['https://example.onion/', 'internal-name'],
  ['https://ｅxample.ｌocal/', 'internal-name'],
  ['https://hooks.example.com:80/', 'port'],
  ['https://hooks.example.com:22/', 'port'],
  ['https://hooks.example.com:0/', 'port'],
  ['https://hooks.example.com:444/', 'port'],
]

const ruleFor = (input: unknown, policy?: AddressPolicy): TargetRule | 'accepted' => {
  const result = parseTargetUrl(input, policy)
  return result.ok ? 'accepted' : result.rule
}

describe('parseTargetUrl, without options', () => {
  it.each(ACCEPTED)('accepts %j', (input, normalized) => {
    expect(parseTargetUrl(input)).toMatchObject({ ok: true, normalized })
  })

  it.each(REFUSED)('refuses %j', (input, rule) => {
    expect(parseTargetUrl(input)).toEqual({ ok: false, rule, message: TARGET_URL_MESSAGE })
  })

  it('does not change a URL that is already normalised', () => {
    for (const [, normalized] of ACCEPTED) expect(parseTargetUrl(normalized)).toMatchObject({ normalized })
  })

  it('returns the fields that a connection needs', () => {
    expect(parseTargetUrl('https://Bücher.example.:8443/a?b=c')).toMatchObject({
      url: {
        protocol: 'https:',
        hostname: 'xn--bcher-kva.example',
        isAddress: false,
        isListed: false,
        port: 8_443,
        path: '/a?b=c',
      },
    })
  })

  it('has one error message, which names the field and is short enough for automation tools to show', () => {
    expect(TARGET_URL_MESSAGE.length).toBeLessThanOrEqual(200)
    expect(TARGET_URL_MESSAGE).toMatch(/^targetUrl must be a public HTTPS address/)
    expect(TARGET_URL_MAX_LENGTH).toBe(2_048)
  })
})

describe('parseTargetUrl, with options', () => {
  const loopback: AddressPolicy = {
    allowedHostNames: ['localhost'],
    allowedCidrs: ['127.0.0.0/8', '::1/128'],
    allowedPorts: 'any',
  }

  it('lets a platform allow its own machine, by name and by address, on any port', () => {
    expect(parseTargetUrl('https://localhost:3443/x', loopback)).toMatchObject({
      url: { isAddress: false, isListed: true, port: 3_443 },
    })
    expect(parseTargetUrl('https://127.0.0.1:1/x', loopback)).toMatchObject({ url: { isAddress: true } })
    expect(parseTargetUrl('https://[::1]:9/x', loopback)).toMatchObject({
      normalized: 'https://[::1]:9/x',
      url: { hostname: '::1' },
    })
    expect(ruleFor('https://127.0.0.1:0/x', loopback)).toBe('port')
    expect(ruleFor('https://10.0.0.1/x', loopback)).toBe('address')
    expect(ruleFor('https://8.8.8.8/x', loopback)).toBe('address')
    expect(ruleFor('https://app.localhost/x', loopback)).toBe('internal-name')
    expect(ruleFor('http://localhost:3443/x', loopback)).toBe('http')
  })

  it('accepts only the ports in allowedPorts', () => {
    expect(ruleFor('https://hooks.example.com:5678/', { allowedPorts: [5_678] })).toBe('accepted')
    expect(ruleFor('https://hooks.example.com/', { allowedPorts: [5_678] })).toBe('port')
  })

  it('exempts a name in allowedHostNames from the rules for names, but not from the rules for characters', () => {
    const policy: AddressPolicy = { allowedHostNames: ['receiver', '*.svc', '-odd'] }
    expect(ruleFor('https://receiver/', policy)).toBe('accepted')
    expect(ruleFor('https://api.default.svc/', policy)).toBe('accepted')
    expect(ruleFor('https://other/', policy)).toBe('single-label')
    expect(ruleFor('https://svc/', policy)).toBe('single-label')
    expect(ruleFor('https://-odd/', policy)).toBe('host-name')
  })

  it('accepts plain http only for the hosts in httpLoopbackHosts, and only if they are loopback', () => {
    const policy: AddressPolicy = {
      httpLoopbackHosts: ['localhost', '127.0.0.1', '8.8.8.8'],
      allowedPorts: [80, 3_000],
    }
    expect(ruleFor('http://localhost:3000/', policy)).toBe('accepted')
    expect(ruleFor('http://127.0.0.1:3000/', policy)).toBe('accepted')
    expect(parseTargetUrl('http://localhost:80/x', policy)).toMatchObject({ normalized: 'http://localhost/x' })
    expect(ruleFor('http://8.8.8.8:3000/', policy)).toBe('address')
    expect(ruleFor('http://127.0.0.2:3000/', policy)).toBe('http')
    expect(ruleFor('http://hooks.example.com/', policy)).toBe('http')
    expect(ruleFor('https://localhost:3000/', policy)).toBe('single-label')
    expect(ruleFor('http://localhost:3001/', policy)).toBe('port')
  })

  it('refuses the hosts in refusedHostNames, whatever else is allowed', () => {
    const policy: AddressPolicy = {
      refusedHostNames: ['App.Example.com', '*.api.example.com', '127.0.0.1'],
      allowedHostNames: ['app.example.com'],
      allowedCidrs: ['127.0.0.0/8'],
    }
    expect(ruleFor('https://app.example.com/', policy)).toBe('refused-name')
    expect(ruleFor('https://APP.example.com./', policy)).toBe('refused-name')
    expect(ruleFor('https://v1.api.example.com/', policy)).toBe('refused-name')
    expect(ruleFor('https://api.example.com/', policy)).toBe('accepted')
    expect(ruleFor('https://customer.app.example.com/', policy)).toBe('accepted')
    expect(ruleFor('https://127.0.0.1/', policy)).toBe('refused-name')
    expect(ruleFor('https://127.0.0.2/', policy)).toBe('accepted')
  })

  it('refuses IP literals within refusedCidrs, whatever else is allowed', () => {
    const policy: AddressPolicy = {
      refusedCidrs: ['127.0.0.2/32', '10.1.2.0/24'],
      allowedCidrs: ['10.1.0.0/16'],
      httpLoopbackHosts: ['127.0.0.2'],
      allowedPorts: 'any',
    }
    expect(ruleFor('https://10.1.2.3/', policy)).toBe('refused-address')
    expect(ruleFor('https://[::ffff:10.1.2.3]/', policy)).toBe('refused-address')
    expect(ruleFor('http://127.0.0.2/', policy)).toBe('refused-address')
    expect(ruleFor('https://10.1.3.3/', policy)).toBe('accepted')
  })

  it('throws for an invalid policy', () => {
    expect(() => parseTargetUrl('https://hooks.example.com', { allowedCidrs: ['all'] })).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION_INVALID' }),
    )
  })
})
