import { type Misbehaviour, says, saysAndEnds } from './misbehaviour.ts'

const START = 'HTTP/1.1 200 OK\r\n'
const TWO = 'content-length: 2\r\n'
const REST = `${TWO}\r\nok`

const NO_HTTP: Readonly<Record<string, string>> = {
  'something other than HTTP': 'nonsense\r\n\r\n',
  'only HTML': '<!doctype html><title>Hello</title>\r\n\r\n',
  'only JSON': '{"ok":true}\r\n\r\n',
  zeros: '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0',
  SSH: 'SSH-2.0-OpenSSH_9.9\r\n',
  'an HTTP/2 preface': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'HTTP/2 frames': '\0\0\x06\x04\0\0\0\0\0\0\x04\0\0\xff\xff',
  'a request': 'GET / HTTP/1.1\r\nhost: target.test\r\n\r\n',
  'a status line without a version': '200 OK\r\n\r\n',
  'a status line of ICY': `ICY 200 OK\r\n${REST}`,
  // llhttp, the HTTP parser of Node, accepts RTSP/1.0 as if it were HTTP/1.0. Callboard's own parser must not.
  'a status line of RTSP': `RTSP/1.0 200 OK\r\n${REST}`,
  'a status line of HTTPS': `HTTPS/1.1 200 OK\r\n${REST}`,
  'a status line in lower case': `http/1.1 200 OK\r\n${REST}`,
  'a status line after a space': ` HTTP/1.1 200 OK\r\n${REST}`,
  'a status line after a byte order mark': `\xef\xbb\xbfHTTP/1.1 200 OK\r\n${REST}`,
  'a version without a dot': `HTTP/11 200 OK\r\n${REST}`,
  'a version of letters': `HTTP/a.b 200 OK\r\n${REST}`,
  'HTTP/9.9': `HTTP/9.9 200 OK\r\n${REST}`,
  'HTTP/1.10': `HTTP/1.10 200 OK\r\n${REST}`,
  'a status line without spaces': `HTTP/1.1200OK\r\n${REST}`,
  'a status line that ends in its version': `HTTP/1.1\r\n${REST}`,
  'a NUL in the status line': `HTTP/1.1 2\x0000 OK\r\n${REST}`,
  'a NUL in a header name': `${START}a\0b: c\r\n${REST}`,
  'a NUL in a header value': `${START}a: b\0c\r\n${REST}`,
  'a header without a colon': `${START}header\r\n${REST}`,
  'a header without a name': `${START}: b\r\n${REST}`,
  'a header name that contains a space': `${START}a b: c\r\n${REST}`,
  'a header name with brackets': `${START}a[b]: c\r\n${REST}`,
  'a header name in UTF-8': `${START}\xc3\xa9: c\r\n${REST}`,
  'a first header that is folded': `${START} folded: a\r\n${REST}`,
  'a folded header': `${START}a: b\r\n c\r\n${REST}`,
  'a lone CR in a header value': `${START}a: b\rc\r\n${REST}`,
  'a lone CR in place of every line end': `HTTP/1.1 200 OK\rcontent-length: 2\r\rok`,
}

/** Answers that are not HTTP, or are malformed HTTP. */
export const BROKEN_HTTP: readonly Misbehaviour[] = [
  ...Object.entries(NO_HTTP).map(
    ([name, bytes]): Misbehaviour => ({
      name: `answers with ${name}`,
      act: saysAndEnds(bytes),
      expected: ['protocol'],
    }),
  ),
  { name: 'answers as HTTP/0.9 does', act: saysAndEnds('ok'), expected: [['protocol', 'reset']] },
  {
    name: 'answers as HTTP/1.0 does',
    act: saysAndEnds('HTTP/1.0 200 OK\r\n\r\nok'),
    expected: [{ status: 200, body: 'ok', truncated: false }],
  },
  { name: 'answers without a reason phrase', act: says(`HTTP/1.1 200\r\n${REST}`), expected: [200] },
  { name: 'answers with an empty reason phrase', act: says(`HTTP/1.1 200 \r\n${REST}`), expected: [200] },
  {
    name: 'answers with junk in its reason phrase',
    act: says(`HTTP/1.1 200 \x80\xff<script>\r\n${REST}`),
    expected: [200],
  },
  { name: 'sends empty lines first', act: says(`\r\n\r\n${START}${REST}`), expected: [200] },
  { name: 'sends an empty header value', act: says(`${START}a:\r\n${REST}`), expected: [200] },
  { name: 'sends a header value of Latin-1', act: says(`${START}a: \xe9\x80\r\n${REST}`), expected: [200] },
  { name: 'sends the same header 300 times', act: says(`${START}${'a: b\r\n'.repeat(300)}${REST}`), expected: [200] },
  {
    name: 'sends headers named like JavaScript properties',
    act: says(`${START}__proto__: a\r\nconstructor: b\r\nhasOwnProperty: c\r\ntoString: d\r\n${REST}`),
    expected: [{ status: 200, body: 'ok' }],
  },
]
