import { inTurn, type Misbehaviour, says } from './misbehaviour.ts'

const REST = 'content-length: 2\r\n\r\nok'
const RETRY_AFTERS = [
  ...[
    '0',
    '-1',
    '-999999999',
    '1.5',
    '1e9',
    '999999999',
    '99999999999999999999',
    'NaN',
    'Infinity',
    'soon',
    '',
    '1, 2',
  ],
  ...['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT', 'Thu, 99 Foo 2026 99:99:99 XXX', '2026-10-01'],
  ...['<script>', "'; drop table deliveries; --", '\u00e9\u0080', '%00', '1'.repeat(8_000)],
]
const LOCATIONS = [
  ...['/elsewhere', '//elsewhere.test/', 'https://target.test/', 'http://169.254.169.254/latest/meta-data/'],
  ...['http://127.0.0.1:22/', 'file:///etc/passwd', 'javascript:alert(1)', 'data:text/plain,ok', '', '\u00e9', '::::'],
]
const KEEP_ALIVES = ['timeout=0', 'timeout=-1', 'timeout=99999999999', 'timeout=soon', 'max=0', 'timeout=5, max=1', '']

const redirects = (status: number, location: string): Misbehaviour['act'] =>
  says(`HTTP/1.1 ${status} X\r\nlocation: ${location}\r\n${REST}`)

/** Answers that tempt a client to follow, remember, decompress or wait for something. */
export const TEMPTATIONS: readonly Misbehaviour[] = [
  ...RETRY_AFTERS.map(
    (retryAfter): Misbehaviour => ({
      name: `asks for a retry after ${JSON.stringify(retryAfter.slice(0, 40))}`,
      act: says(`HTTP/1.1 503 X\r\nretry-after: ${retryAfter}\r\n${REST}`),
      expected: [{ status: 503, retryAfter }],
    }),
  ),
  {
    name: 'asks twice for a retry',
    act: says(`HTTP/1.1 429 X\r\nretry-after: 1\r\nretry-after: 2\r\n${REST}`),
    expected: [{ status: 429, retryAfter: '1' }],
  },
  ...LOCATIONS.map(
    (location): Misbehaviour => ({
      name: `redirects to ${JSON.stringify(location)}`,
      act: inTurn(
        redirects(301, location),
        redirects(302, location),
        redirects(303, location),
        redirects(307, location),
        redirects(308, location),
      ),
      expected: [301, 302, 303, 307, 308],
    }),
  ),
  ...(
    [
      ['cookies', 'set-cookie: a=b; Path=/\r\nset-cookie: c=d', /^cookie:/im],
      ['a refresh', 'refresh: 0;url=https://target.test/other', /other/],
      ['an alternative service', 'alt-svc: h2=":1", h3=":1"; ma=99999', /alt-used/i],
      ['a challenge', 'www-authenticate: Basic realm="x"\r\nproxy-authenticate: NTLM', /authorization/i],
      [
        'an entity tag',
        'etag: "x"\r\nlast-modified: Thu, 01 Oct 2026 13:00:00 GMT\r\ncache-control: max-age=9999',
        /if-/i,
      ],
      ['HSTS', 'strict-transport-security: max-age=99999; includeSubDomains', /upgrade-insecure/i],
      ['client hints', 'accept-ch: Sec-CH-UA-Platform\r\ncritical-ch: Sec-CH-UA-Platform', /sec-ch/i],
    ] as const
  ).map(
    ([what, header, never]): Misbehaviour => ({
      name: `sends ${what}, which later requests ignore`,
      act: says(`HTTP/1.1 200 X\r\n${header}\r\n${REST}`),
      expected: [200, 200, 200],
      never,
    }),
  ),
  ...KEEP_ALIVES.map(
    (hint): Misbehaviour => ({
      name: `hints at keep-alive with ${JSON.stringify(hint)}`,
      act: says(`HTTP/1.1 200 X\r\nconnection: keep-alive\r\nkeep-alive: ${hint}\r\n${REST}`),
      expected: [200, 200],
    }),
  ),
  {
    name: 'sends connection: close but keeps the connection open',
    act: says(`HTTP/1.1 200 X\r\nconnection: close\r\n${REST}`),
    expected: [200, 200],
  },
  {
    name: 'sends connection: close, keep-alive',
    act: says(`HTTP/1.1 200 X\r\nconnection: close, keep-alive\r\n${REST}`),
    expected: [200, 200],
  },
]
