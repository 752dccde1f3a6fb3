/**
 * Hostile targets, in one table for all tests: URLs to refuse, addresses to refuse under any name, and the public
 * addresses next to them, which must be allowed.
 */

/** A refused block: its first and last address, and the public addresses next to it. */
interface RefusedBlock {
  readonly block: string
  readonly inside: readonly [first: string, last: string, ...between: string[]]
  readonly beside: readonly string[]
}

const refused = (block: string, inside: RefusedBlock['inside'], ...beside: string[]): RefusedBlock => ({
  block,
  inside,
  beside,
})

/** Every refused block, in the order in which the address policy lists them. */
// biome-ignore format: a table
const REFUSED_BLOCKS: readonly RefusedBlock[] = [
  refused('0.0.0.0/8', ['0.0.0.0', '0.255.255.255', '0.0.0.1'], '1.0.0.0'),
  refused('10.0.0.0/8', ['10.0.0.0', '10.255.255.255', '10.0.0.1'], '9.255.255.255', '11.0.0.0'),
  refused('100.64.0.0/10', ['100.64.0.0', '100.127.255.255', '100.100.100.200'], '100.63.255.255', '100.128.0.0'),
  refused('127.0.0.0/8', ['127.0.0.0', '127.255.255.255', '127.0.0.1', '127.0.0.53'], '126.255.255.255', '128.0.0.0'),
  refused('169.254.0.0/16', ['169.254.0.0', '169.254.255.255', '169.254.169.254', '169.254.170.2'], '169.253.255.255', '169.255.0.0'),
  refused('172.16.0.0/12', ['172.16.0.0', '172.31.255.255', '172.17.0.1'], '172.15.255.255', '172.32.0.0'),
  refused('192.0.0.0/24', ['192.0.0.0', '192.0.0.255', '192.0.0.192'], '191.255.255.255', '192.0.1.0'),
  refused('192.0.2.0/24', ['192.0.2.0', '192.0.2.255'], '192.0.1.255', '192.0.3.0'),
  refused('192.31.196.0/24', ['192.31.196.0', '192.31.196.255'], '192.31.195.255', '192.31.197.0'),
  refused('192.52.193.0/24', ['192.52.193.0', '192.52.193.255'], '192.52.192.255', '192.52.194.0'),
  refused('192.88.99.0/24', ['192.88.99.0', '192.88.99.255'], '192.88.98.255', '192.88.100.0'),
  refused('192.168.0.0/16', ['192.168.0.0', '192.168.255.255', '192.168.1.1'], '192.167.255.255', '192.169.0.0'),
  refused('192.175.48.0/24', ['192.175.48.0', '192.175.48.255'], '192.175.47.255', '192.175.49.0'),
  refused('198.18.0.0/15', ['198.18.0.0', '198.19.255.255'], '198.17.255.255', '198.20.0.0'),
  refused('198.51.100.0/24', ['198.51.100.0', '198.51.100.255'], '198.51.99.255', '198.51.101.0'),
  refused('203.0.113.0/24', ['203.0.113.0', '203.0.113.255'], '203.0.112.255', '203.0.114.0'),
  refused('224.0.0.0/4', ['224.0.0.0', '239.255.255.255', '224.0.0.251'], '223.255.255.255'),
  refused('240.0.0.0/4', ['240.0.0.0', '255.255.255.255', '255.255.255.254']),
  refused('168.63.129.16/32', ['168.63.129.16', '168.63.129.16'], '168.63.129.15', '168.63.129.17'),
  // All of IPv6 except 2000::/3.
  refused('unspecified and loopback', ['::', '::1', '::2']),
  refused('compatible ::/96', ['::0.0.0.3', '::255.255.255.255', '::127.0.0.1', '::a9fe:a9fe', '::8.8.8.8']),
  refused('ISATAP without a prefix', ['::5efe:7f00:1', '::200:5efe:10.0.0.1', 'fe80::5efe:10.0.0.1']),
  refused('mapped, judged as IPv4', ['::ffff:0.0.0.0', '::ffff:255.255.255.255', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::FFFF:10.0.0.1', '0:0:0:0:0:ffff:7f00:1', '::ffff:168.63.129.16'], '::ffff:9.255.255.255', '::ffff:11.0.0.0'),
  refused('translated ::ffff:0:0:0/96', ['::ffff:0:0.0.0.0', '::ffff:0:255.255.255.255', '::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8']),
  refused('NAT64 64:ff9b::/96', ['64:ff9b::', '64:ff9b::255.255.255.255', '64:ff9b::10.0.0.1', '64:ff9b::8.8.8.8']),
  refused('local NAT64 64:ff9b:1::/48', ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', '64:ff9b:1::169.254.169.254']),
  refused('discard 100::/64, 100:0:0:1::/64', ['100::', '100::ffff:ffff:ffff:ffff', '100:0:0:1::1']),
  refused('below 2000::/3', ['200::1', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], '2000::'),
  refused('4000::/3', ['4000::', '5fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
  refused('SRv6 5f00::/16', ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff']),
  refused('6000::/3, 8000::/3 … e000::/4', ['6000::', 'efff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '8000::1', 'a000::1', 'c000::1', 'f800::1']),
  refused('ULA fc00::/7', ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fd00:ec2::254', 'fd00::1', 'fd20:ce::254']),
  refused('link-local fe80::/10', ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fe80::a9fe:a9fe']),
  refused('site-local fec0::/10', ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fec0:0:0:ffff::1']),
  refused('multicast ff00::/8', ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ff02::1', 'ff05::2', 'ff0e::1']),
  // The refused blocks inside 2000::/3.
  refused('protocols 2001::/23', ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:2::1', '2001:10::1', '2001:20::1', '2001:1::1'], '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'),
  refused('Teredo 2001::/32', ['2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001::f5ff:fffe', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff']),
  refused('documentation 2001:db8::/32', ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'], '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'),
  refused('6to4 2002::/16', ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2002:7f00:1::1', '2002:a00:1::', '2002:a9fe:a9fe::1', '2002:808:808::1'], '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'),
  refused('AS112 2620:4f:8000::/48', ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'], '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff', '2620:4f:8001::'),
  refused('documentation 3fff::/20', ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'], '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'),
]

/** Addresses that no delivery may reach. */
export const HOSTILE_ADDRESSES: readonly string[] = [...new Set(REFUSED_BLOCKS.flatMap(({ inside }) => inside))]

/**
 * Public addresses, most of them next to a refused block. Deliveries to a name that resolves to one of them are sent.
 */
export const PUBLIC_ADDRESSES: readonly string[] = [
  ...new Set(REFUSED_BLOCKS.flatMap(({ beside }) => beside)),
  ...['8.8.8.8', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450:4001:81b::200e'],
]

/** 127.0.0.1, 169.254.169.254 and the like in every notation that some parser understands. */
// biome-ignore format: a table
const ADDRESS_NOTATIONS: readonly string[] = [
  // decimal, octal and hexadecimal, as one number and in parts
  '2130706433', '2852039166', '0', '4294967295', '017700000001', '0177.0.0.1', '0177.0000.0000.0001', '00000177.1',
  '0x7f000001', '0x7F000001', '0x7f.0x0.0x0.0x1', '0x7f.1', '0xa9fea9fe', '0xa9.0xfe.0xa9.0xfe', '0xa9.254.0251.254',
  '127.1', '127.0.1', '10.1', '192.168.257', '169.254.43518', '0251.0376.0251.0376', '0xA.0.0.1', '012.0.0.1',
  '127.000.000.001', '010.0.0.1', '0.0.0.0', '255.255.255.255', '0x', '0x0', '00',
  // beyond 32 bits, and too many parts
  '4294967296', '127.0.0.256', '256.256.256.256', '1.2.3.4.5', '0x100000000', '08.8.8.8', '127.0.0.09',
  // trailing and inner dots
  '127.0.0.1.', '2130706433.', '0x7f.1.', '127.0.0.1..', '127..0.0.1', '.127.0.0.1',
  // digits and dots that are not ASCII
  '①②⑦.⓪.⓪.①', '１２７.０.０.１', '𝟏𝟐𝟕.𝟎.𝟎.𝟏', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '¹²⁷.0.0.1', '０ｘ７ｆ.１', '①②⑦。0.0.1',
  '169。254。169。254', '⑯⑨.254.⑯⑨.254',
  // escapes
  '%31%32%37.0.0.1', '127%2e0%2E0.1', '%30x7f.1', '%E2%91%A0%E2%91%A1%E2%91%A6.0.0.1', '127.0.0.1%00', '127.0.0.1%20', '127.0.0.1%09',
  // IPv6 in brackets
  '[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]',
  '[::ffff:0x7f.1]', '[::127.0.0.1]', '[::ffff:a9fe:a9fe]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1%25eth0]', '[fe80::1%eth0]',
  '[::1%251]', '[v1.a]', '[::1', '::1', '[]', '[127.0.0.1]', '[::1].example.com', '%5B::1%5D', '[::ffff:①②⑦.0.0.1]',
  // even public addresses, because every address literal is refused
  '8.8.8.8', '1.1.1.1', '134744072', '[2606:4700:4700::1111]', '[::ffff:8.8.8.8]',
]

const label63 = 'a'.repeat(63)
/** Returns a host name of `length` characters. */
const nameOf = (length: number): string => `${`${'a'.repeat(49)}.`.repeat(9).slice(0, length - 12)}.example.com`

// biome-ignore format: a table
const HOST_NAMES: readonly string[] = [
  // this machine and this network
  'localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.b.localhost.', 'localhost.localdomain', 'localhost6.localdomain',
  'ip6-localhost', 'printer.local', 'printer.LOCAL.', 'metadata.google.internal', 'metadata.google.internal.', 'instance-data.ec2.internal',
  'a.internal', 'internal', 'router.home.arpa', 'home.arpa', 'api.default.svc', 'kubernetes.default.svc.cluster.local', 'cluster.local',
  'example.onion', 'local', 'svc',
  // the same names, written with other letters or escapes
  'ｌocalhost', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'a.ⓛocalhost', 'printer.ｌocal', 'printer。local', 'a.in\u00adternal', 'loc%61lhost', 'a.%6Cocal', 'a.loc\u200bal', 'K8s.ſvc',
  // one label, empty labels
  'hooks', 'hooks.', 'com', 'metadata', 'postgres', 'wpad', 'hooks..example.com', '.example.com', 'hooks.example.com..', '.', '..',
  // not host names
  '-hooks.example.com', 'hooks-.example.com', 'hooks.-example.com', 'ho*oks.example.com', "ho'oks.example.com", 'ho!oks.example.com',
  'ho~oks.example.com', 'ho$oks.example.com', 'hooks,example.com', 'hooks;example.com', 'ho(ok)s.example.com', 'ho+oks.example.com',
  'ho=oks.example.com', 'ho&oks.example.com', 'ho"oks.example.com', 'ho`oks.example.com', 'ho{oks}.example.com', 'ho<oks.example.com',
  'ho>oks.example.com', 'ho^oks.example.com', 'ho|oks.example.com', 'hooks%2fexample.com', 'hooks%3a.example.com', 'hooks%40example.com',
  'hooks%00.example.com', 'hooks%0d%0a.example.com', 'hooks%25.example.com', 'hooks%', 'hooks.example.%6', 'xn--.example.com',
  'hooks.example.1', 'hooks.example.0x1', 'hooks.example.256', '\u{1f600}\u202e.example.com', '\ufffd.example.com',
  // lengths
  `a${label63}.example.com`, `${`${label63}.`.repeat(4)}com`, nameOf(254), nameOf(255), `${'ü'.repeat(60)}.example.com`,
]

/** URLs that are refused because of something other than the host. */
// biome-ignore format: a table
const WHOLE_URLS: readonly string[] = [
  // schemes
  '', 'hooks.example.com', '//hooks.example.com/', '/hooks', 'http://hooks.example.com/', 'HTTP://hooks.example.com/', 'http://localhost/',
  'http://127.0.0.1/', 'ftp://hooks.example.com/', 'ws://hooks.example.com/', 'wss://hooks.example.com/', 'file:///etc/passwd', 'file://hooks.example.com/etc',
  'gopher://hooks.example.com/', 'dict://hooks.example.com/', 'ldap://hooks.example.com/', 'tftp://hooks.example.com/', 'jar:https://hooks.example.com!/',
  'data:text/plain,x', 'javascript:alert(1)', 'blob:https://hooks.example.com/x', 'view-source:https://hooks.example.com/', 'about:blank', 'unix:///var/run/docker.sock',
  'https+unix://%2Fvar%2Frun%2Fdocker.sock/', 'https:hooks.example.com', 'https:/hooks.example.com', 'https:///hooks.example.com', 'https:////hooks.example.com',
  'https://', 'https:///', 'https://?', 'https://#', 'https', 'https:', 'httpſ://hooks.example.com/', 'ｈttps://hooks.example.com/', 'https：//hooks.example.com/',
  'https://https://hooks.example.com/', 'https://:443/', 'https://%/',
  // user info
  'https://user:pass@hooks.example.com/', 'https://user@hooks.example.com/', 'https://@hooks.example.com/', 'https://:@hooks.example.com/',
  'https://hooks.example.com@127.0.0.1/', 'https://hooks.example.com:443@127.0.0.1/', 'https://127.0.0.1@hooks.example.com/', 'https://a@b@hooks.example.com/',
  'https://hooks.example.com?@127.0.0.1/', 'https://hooks.example.com#@127.0.0.1/', 'https://user%40hooks.example.com@127.0.0.1/', 'https://%40@hooks.example.com/',
  // control characters, spaces, backslash
  ' https://hooks.example.com/', 'https://hooks.example.com/ ', '\thttps://hooks.example.com/', 'https://hooks.example.com/\n', 'ht\ntps://hooks.example.com/',
  'https://hooks.\texample.com/', 'https://hooks.example.com\t/', 'https://127.0\t.0.1/', 'https://hooks.example.com/a b', 'https://hooks.example.com/\r\nHost: 127.0.0.1',
  'https://hooks.example.com/\0', '\0https://hooks.example.com/', 'https://hooks.example.com/\u0001', 'https://hooks.example.com/\u001f', 'https://hooks.example.com/\u007f',
  'https://hooks.example.com/\u0080', 'https://hooks.example.com/\u0085', 'https://hooks.example.com/\u009f', 'https:\\\\hooks.example.com\\', 'https://hooks.example.com\\@127.0.0.1/',
  'https://127.0.0.1\\@hooks.example.com/', 'https:/\\hooks.example.com/', 'https:\\/hooks.example.com/', 'https://hooks.example.com\\.127.0.0.1/', 'https://hooks.example.com/\\',
  // lone surrogates
  'https://hooks.example.com/\ud800', 'https://hooks.example.com/\udc00a', 'https://\ud800.example.com/',
  // fragments
  'https://hooks.example.com/#', 'https://hooks.example.com/#a', 'https://hooks.example.com#', 'https://hooks.example.com/?a#b', 'https://127.0.0.1#.example.com/',
  // ports
  'https://hooks.example.com:80/', 'https://hooks.example.com:22/', 'https://hooks.example.com:25/', 'https://hooks.example.com:0/', 'https://hooks.example.com:442/',
  'https://hooks.example.com:444/', 'https://hooks.example.com:5432/', 'https://hooks.example.com:6379/', 'https://hooks.example.com:8442/', 'https://hooks.example.com:8444/',
  'https://hooks.example.com:65535/', 'https://hooks.example.com:65536/', 'https://hooks.example.com:66979/', 'https://hooks.example.com:-443/', 'https://hooks.example.com:+443/',
  'https://hooks.example.com:443:443/', 'https://hooks.example.com:https/', 'https://hooks.example.com:0x1bb/', 'https://hooks.example.com:443a/', 'https://hooks.example.com:٤٤٣/',
  'https://hooks.example.com:4294967739/', 'https://hooks.example.com:443%00/', 'https://hooks.example.com:443 /', 'https://hooks.example.com:.443/',
  // lengths
  `https://hooks.example.com/${'a'.repeat(2_049 - 26)}`, `https://hooks.example.com/${'\u{1f600}'.repeat(2_049 - 26)}`, `https://hooks.example.com/?${'a'.repeat(8_000)}`,
]

/** An address literal as the host of a URL. */
const hostOf = (address: string): string => (address.includes(':') ? `[${address}]` : address)

/** Target URLs that are refused without a lookup of their hosts. */
export const HOSTILE_URLS: readonly string[] = [
  ...new Set([
    ...WHOLE_URLS,
    ...HOST_NAMES.map((name) => `https://${name}/hook`),
    ...ADDRESS_NOTATIONS.flatMap((host) => [`https://${host}/hook`, `https://${host}:8443`]),
    // Even a public address is refused if the URL contains it as a literal.
    ...[...HOSTILE_ADDRESSES, ...PUBLIC_ADDRESSES].map((address) => `https://${hostOf(address)}/hook`),
  ]),
]

/**
 * Every notation of an address, and the other hosts that lead to this machine. A policy that allows only the address
 * 127.9.9.9 and the name `localhost` refuses all of them, even `localhost`, because it resolves to another address.
 */
export const LOOPBACK_NOTATIONS: readonly string[] = [
  ...ADDRESS_NOTATIONS,
  ...HOSTILE_ADDRESSES.filter((address) => /127\.|:7f00:1$|^::1?$|^0\.0/.test(address)).map(hostOf),
  ...['localhost', 'a.localhost', 'localhost.', 'localhost.localdomain', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ'],
]

/** Strange but valid URLs, which must not be refused just because they look suspicious. */
// biome-ignore format: a table
export const GOOD_URLS: readonly string[] = [
  'https://hooks.example.com', 'https://hooks.example.com/', 'https://hooks.example.com?', 'https://hooks.example.com:443/', 'https://hooks.example.com:8443/a',
  'https://hooks.example.com:00443/', 'https://hooks.example.com:/', 'HTTPS://HOOKS.EXAMPLE.COM/', 'https://hooks.example.com./a', 'https://example.com/',
  'https://a_b.example.com/', 'https://_dmarc.example.com/', 'https://my--hook.example.com/', 'https://1.example.com/', 'https://0x7f.example.com/',
  'https://127.0.0.1.nip.example/', 'https://localhost.example.com/', 'https://local.example.com/', 'https://notlocal.example/', 'https://mylocalhost.dev/',
  'https://internal.example/', 'https://cluster.local.example/', 'https://onion.example/', 'https://svc.example/', 'https://example.arpa/',
  'https://bücher.example/', 'https://xn--bcher-kva.example/', 'https://例え.テスト.example/', 'https://faß.example/', 'https://hooks。example。com/',
  `https://${label63}.example.com/`, `https://${nameOf(253)}/`, 'https://hooks.example.com/@team', 'https://hooks.example.com/?to=a@b.example',
  'https://hooks.example.com/%00%0d%0a', 'https://hooks.example.com/%5c', 'https://hooks.example.com/ü/\u{1f600}', 'https://hooks.example.com/../..//a/./b',
  'https://hooks.example.com/?u=http://127.0.0.1/', `https://hooks.example.com/${'a'.repeat(2_048 - 26)}`, `https://hooks.example.com/${'\u{1f600}'.repeat(2_048 - 26)}`,
]
