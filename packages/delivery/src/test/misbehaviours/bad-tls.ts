import type { HandshakeFailure } from '../../lib/http/verified-tls.ts'
import type { CertificateName } from './certificate-chest.ts'
import { type Misbehaviour, OK, says, saysAndEnds } from './misbehaviour.ts'

const BAD: readonly (readonly [CertificateName, HandshakeFailure])[] = [
  ['of another host', 'certificate_name'],
  ['without any host', 'certificate_name'],
  ['with its name only in the subject', 'certificate_name'],
  ['of another address', 'certificate_name'],
  ['of a wildcard one label above', 'certificate_name'],
  ['expired', 'certificate_expired'],
  ['not yet valid', 'certificate'],
  ['self-signed', 'certificate_self_signed'],
  ['of an unknown authority', 'certificate_issuer'],
  ['issued by a certificate that is no authority', 'certificate_self_signed'],
  ['for clients', 'certificate'],
  ['for signing code', 'certificate'],
]
const ALERTS = {
  close_notify: '\x01\x00',
  handshake_failure: '\x02\x28',
  internal_error: '\x02\x50',
  warning: '\x01\x5a',
}

/**
 * Servers with bad certificates, or with something other than TLS. No part of a request must ever be sent to these
 * servers.
 */
export const BAD_TLS: readonly Misbehaviour[] = [
  ...BAD.map(
    ([certificate, reason]): Misbehaviour => ({
      name: `has a certificate ${certificate}`,
      certificate,
      act: says(OK),
      // Deno and Bun may say less.
      expected: [
        [reason, 'certificate'],
        [reason, 'certificate'],
      ],
      requests: 0,
    }),
  ),
  {
    name: 'speaks TLS 1.0 at most',
    tls: { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' },
    act: says(OK),
    expected: ['tls'],
    requests: 0,
  },
  {
    name: 'speaks TLS 1.1 at most',
    tls: { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
    act: says(OK),
    expected: ['tls'],
    requests: 0,
  },
  {
    name: 'offers only anonymous ciphers',
    tls: { maxVersion: 'TLSv1.2', ciphers: 'ADH:AECDH:@SECLEVEL=0' },
    act: says(OK),
    expected: ['tls'],
    requests: 0,
  },
  {
    name: 'offers only ciphers without encryption',
    tls: { maxVersion: 'TLSv1.2', ciphers: 'eNULL:@SECLEVEL=0' },
    act: says(OK),
    expected: ['tls'],
    requests: 0,
  },
  {
    name: 'requires a client certificate with TLS 1.2',
    tls: { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
    act: says(OK),
    expected: [['tls', 'reset', 'protocol']],
    requests: 0,
  },
  {
    name: 'requires a client certificate with TLS 1.3',
    tls: { requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' },
    act: says(OK),
    expected: [['tls', 'reset', 'protocol']],
    requests: 0,
  },
  { name: 'speaks plain HTTP once connected', from: 'tcp', act: says(OK), expected: ['tls'] },
  {
    name: 'speaks plain HTTP after our hello',
    from: 'tcp',
    act: ({ socket }) => void socket.once('data', () => socket.end(OK)),
    expected: ['tls'],
  },
  {
    name: 'answers our hello with an HTTP 400',
    from: 'tcp',
    act: ({ socket }) =>
      void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n')),
    expected: ['tls'],
  },
  { name: 'speaks SSH', from: 'tcp', act: says('SSH-2.0-OpenSSH_9.9\r\n'), expected: ['tls'] },
  { name: 'speaks SMTP', from: 'tcp', act: says('220 mail.test ESMTP\r\n'), expected: ['tls'] },
  { name: 'sends zeros in place of TLS', from: 'tcp', act: says('\0'.repeat(4_096)), expected: ['tls'] },
  {
    name: 'sends a TLS record that is too long',
    from: 'tcp',
    act: says(`\x16\x03\x03\xff\xff${'x'.repeat(65_535)}`),
    expected: ['tls'],
  },
  {
    name: 'sends a malformed hello',
    from: 'tcp',
    act: saysAndEnds('\x16\x03\x03\x00\x04\x02\x00\x00\x00'),
    expected: ['tls'],
  },
  { name: 'echoes what we send', from: 'tcp', act: ({ socket }) => void socket.pipe(socket), expected: ['tls'] },
  ...Object.entries(ALERTS).map(
    ([alert, bytes]): Misbehaviour => ({
      name: `answers our hello with the alert ${alert}`,
      from: 'tcp',
      act: ({ socket }) => void socket.once('data', () => socket.end(`\x15\x03\x03\x00\x02${bytes}`, 'latin1')),
      expected: ['tls'],
    }),
  ),
]
