import { describe, expect, it } from 'vitest'
import { type AddressPolicy, assertAddressPolicy, judgeAddress } from './address-policy.ts'
import { canonicalAddress } from './ip-address.ts'

// biome-ignore format: a table
const PUBLIC = [
  '1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0',
  '168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255',
  '192.0.1.0', '192.0.3.0', '192.31.195.255', '192.31.197.0', '192.52.192.255', '192.52.194.0', '192.88.98.255',
  '192.88.100.0', '192.167.255.255', '192.169.0.0', '192.175.47.255', '192.175.49.0', '198.17.255.255', '198.20.0.0',
  '198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255',
  '2000::', '2001:200::1', '2001:db7:ffff::1', '2001:db9::1', '2003::1', '2606:4700:4700::1111', '2620:4f:7fff::1',
  '2620:4f:8001::1', '2a00:1450:4001:81b::200e', '3ffe::1', '3fff:1000::1', '::ffff:8.8.8.8', '::ffff:808:808',
  '2A00:1450:4001:81B::200E', '2606:4700:0:0:0:0:1.2.3.4',
]

// biome-ignore format: a table
const REFUSED = [
  // the first and last address of every refused IPv4 block
  '0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.1',
  '127.255.255.255', '169.254.0.0', '169.254.169.254', '172.16.0.0', '172.31.255.255', '192.0.0.0', '192.0.0.255',
  '192.0.2.0', '192.0.2.255', '192.31.196.0', '192.31.196.255', '192.52.193.0', '192.52.193.255', '192.88.99.0',
  '192.88.99.255', '192.168.0.0', '192.168.255.255', '192.175.48.0', '192.175.48.255', '198.18.0.0', '198.19.255.255',
  '198.51.100.0', '198.51.100.255', '203.0.113.0', '203.0.113.255', '224.0.0.1', '239.255.255.255', '240.0.0.0',
  '255.255.255.255', '168.63.129.16',
  // IPv6 outside 2000::/3
  '::', '::1', '::127.0.0.1', '::8.8.8.8', '::5efe:7f00:1', '::ffff:0:8.8.8.8', '64:ff9b::8.8.8.8', '64:ff9b:1::1',
  '100::1', '1fff:ffff::1', '4000::1', '5f00::1', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'fec0::1', 'ff02::1',
  // refused blocks within 2000::/3
  '2001::1', '2001:1ff:ffff::1', '2001:db8::1', '2002:808:808::1', '2620:4f:8000::1', '3fff::1', '3fff:fff:ffff::1',
  // IPv4-mapped addresses, checked as the embedded IPv4 address
  '::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:10.0.0.1', '0:0:0:0:0:ffff:a9fe:a9fe',
  // strings that are not addresses
  '', ' ', '8.8.8', '8.8.8.8.8', '08.8.8.8', '8.8.8.010', '8.8.8.256', '0x8.8.8.8', '134744072', '8.8.8.8 ', ' 8.8.8.8',
  '8.8.8.8:443', '8.8.8.8/32', '8.8.8.-1', '8.8.8.', '.8.8.8.8', '8..8.8', '８.8.8.8', '[2606:4700::1]', 'fe80::1%eth0',
  '2606:4700::1%1', '2606:4700::1::2', '2606:4700:::1', '2606:4700:1:2:3:4:5', '2606:4700:1:2:3:4:5:6:7', '2606:4700::g',
  '2606:12345::1', ':2606::1', '2606::1:', '2606:4700:1:2:3:4::5:6', '2606:4700::8.8.8', '2606:4700::8.8.8.256',
  '2606:8.8.8.8::1', 'example.com', 'localhost', 'null', `2606:${'0:'.repeat(40)}`,
]

describe('the default address policy', () => {
  it.each(PUBLIC)('allows %s', (address) => {
    expect(judgeAddress(address)).toBe(true)
  })

  it.each(REFUSED)('refuses %j', (address) => {
    expect(judgeAddress(address)).toBe(false)
  })

  it('gives all spellings of an address the same canonical form, and refuses to canonicalise an invalid one', () => {
    expect(canonicalAddress('::ffff:1.2.3.4')).toBe(canonicalAddress('1.2.3.4'))
    expect(canonicalAddress('2606:0:0::0:1')).toBe(canonicalAddress('2606::1'))
    expect(canonicalAddress('::1.2.3.4')).not.toBe(canonicalAddress('1.2.3.4'))
    expect(canonicalAddress('1.2.3.4.')).toBeUndefined()
  })
})

describe('the options of the address policy', () => {
  it('allow the blocks in allowedCidrs, but still refuse all other blocks that are not public', () => {
    const policy: AddressPolicy = { allowedCidrs: ['10.1.0.0/16', 'fd00:1::/32'] }
    expect(judgeAddress('10.1.255.255', policy)).toBe(true)
    expect(judgeAddress('::ffff:10.1.0.1', policy)).toBe(true)
    expect(judgeAddress('fd00:1::9', policy)).toBe(true)
    expect(judgeAddress('10.2.0.0', policy)).toBe(false)
    expect(judgeAddress('fd00:2::9', policy)).toBe(false)
    expect(judgeAddress('8.8.8.8', policy)).toBe(true)
  })

  it('refuse the blocks in refusedCidrs, whatever else allows them', () => {
    const policy: AddressPolicy = {
      refusedCidrs: ['8.8.8.0/24', '2606:4700::/32', '10.1.2.0/24', '127.0.0.2/32'],
      allowedCidrs: ['10.1.0.0/16', '2606:4700:1::/48', '64:ff9b::808:800/120'],
      nat64: true,
    }
    for (const address of [
      '8.8.8.8',
      '::ffff:8.8.8.8',
      '2606:4700:1::1',
      '10.1.2.3',
      '64:ff9b::8.8.8.8',
      '64:ff9b::10.1.2.3',
    ])
      expect(judgeAddress(address, policy), address).toBe(false)
    for (const address of ['8.8.9.8', '2606:4701::1', '10.1.3.3', '64:ff9b::8.8.9.8', '64:ff9b::10.1.3.3'])
      expect(judgeAddress(address, policy), address).toBe(true)
    expect(judgeAddress('127.0.0.2', policy, 'http:')).toBe(false)
    expect(judgeAddress('127.0.0.1', policy, 'http:')).toBe(true)
  })

  it('allow a NAT64 address only when nat64 is set and the embedded IPv4 address is allowed', () => {
    expect(judgeAddress('64:ff9b::8.8.8.8', { nat64: true })).toBe(true)
    expect(judgeAddress('64:ff9b::10.0.0.1', { nat64: true })).toBe(false)
    expect(judgeAddress('64:ff9b::169.254.169.254', { nat64: true })).toBe(false)
    expect(judgeAddress('64:ff9b:1::8.8.8.8', { nat64: true })).toBe(false)
    expect(judgeAddress('64:ff9b::10.0.0.1', { nat64: true, allowedCidrs: ['10.0.0.0/8'] })).toBe(true)
    expect(judgeAddress('2a00:64::127.0.0.1', { nat64: '2a00:64::/96' })).toBe(false)
    expect(judgeAddress('2a00:64::8.8.8.8', { nat64: '2a00:64::/96' })).toBe(true)
    expect(judgeAddress('64:ff9b::8.8.8.8', { nat64: '2a00:64::/96' })).toBe(false)
  })

  it('allow only loopback addresses over plain http', () => {
    expect(judgeAddress('127.0.0.1', {}, 'http:')).toBe(true)
    expect(judgeAddress('::1', {}, 'http:')).toBe(true)
    expect(judgeAddress('8.8.8.8', {}, 'http:')).toBe(false)
    expect(judgeAddress('10.0.0.1', { allowedCidrs: ['10.0.0.0/8'] }, 'http:')).toBe(false)
  })

  it.each<[string, AddressPolicy]>([
    ['addressPolicy.allowedCidrs[1]', { allowedCidrs: ['10.0.0.0/8', '10.0.0.1/8'] }],
    ['addressPolicy.allowedCidrs[0]', { allowedCidrs: ['10.0.0.0'] }],
    ['addressPolicy.allowedCidrs[0]', { allowedCidrs: ['10.0.0.0/33'] }],
    ['addressPolicy.allowedCidrs[0]', { allowedCidrs: ['fd00::/129'] }],
    ['addressPolicy.allowedCidrs[0]', { allowedCidrs: ['10/8'] }],
    ['addressPolicy.refusedCidrs[1]', { refusedCidrs: ['8.8.8.0/24', '8.8.8.8/24'] }],
    ['addressPolicy.allowedPorts[0]', { allowedPorts: [0] }],
    ['addressPolicy.allowedPorts[1]', { allowedPorts: [443, 65_536] }],
    ['addressPolicy.allowedPorts[0]', { allowedPorts: [443.5] }],
    ['addressPolicy.allowedHostNames[0]', { allowedHostNames: ['https://receiver'] }],
    ['addressPolicy.refusedHostNames[0]', { refusedHostNames: ['app.example.com.'] }],
    ['addressPolicy.refusedHostNames[0]', { refusedHostNames: ['bücher.example'] }],
    ['addressPolicy.httpLoopbackHosts[0]', { httpLoopbackHosts: ['localhost:3000'] }],
    ['addressPolicy.nat64', { nat64: '64:ff9b::/64' }],
    ['addressPolicy.nat64', { nat64: '64:ff9b::' }],
  ])('throw for a policy with an invalid %s', (option, policy) => {
    expect(() => assertAddressPolicy(policy)).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION_INVALID', message: expect.stringContaining(option) }),
    )
  })
})
