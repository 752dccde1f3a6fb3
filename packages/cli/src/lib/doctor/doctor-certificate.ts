/**
 * A self-signed certificate for `doctor.invalid`, and its key, both in PEM, because Node cannot create one. The key is
 * public and protects nothing: only the check that trusts this certificate for a moment, on this machine, uses it. The
 * certificate is valid until 2126.
 */
export function doctorCertificate(): { readonly key: string; readonly cert: string } {
  return { key: pem('PRIVATE KEY', KEY), cert: pem('CERTIFICATE', CERTIFICATE) }
}

function pem(label: string, base64: string): string {
  return `-----BEGIN ${label}-----\n${base64.match(/.{1,64}/g)?.join('\n')}\n-----END ${label}-----\n`
}

const KEY =
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXXoVIUEI5L3udi+6EDMfw8k+NuQoZrfIApeD84ZRIRahRANC' +
  'AAQLj4bd4Zt1YbLB6mWA7R7s5sxZpwHYiNULthzEeghe3n/XPr531526kun0Y/yKkZEhDT2Lc+RbNgjbkKfobW2c'

const CERTIFICATE =
  'MIIB6jCCAZCgAwIBAgIJfYRsb9LAQBYiMAoGCCqGSM49BAMCMFIxFzAVBgNVBAMTDmRvY3Rvci5pbnZhbGlkMTcwNQYDVQQK' +
  'Ey5DYWxsYm9hcmQgYzQyMDk5MTUtNzZjZi00NDQxLWFmMGEtYjIyMzM4ZTVmNGI2MCAXDTI2MTEyODAyNDQzMFoYDzIxMjYx' +
  'MTA0MDI0NDMwWjBSMRcwFQYDVQQDEw5kb2N0b3IuaW52YWxpZDE3MDUGA1UEChMuQ2FsbGJvYXJkIGM0MjA5OTE1LTc2Y2Yt' +
  'NDQ0MS1hZjBhLWIyMjMzOGU1ZjRiNjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAuPht3hm3VhssHqZYDtHuzmzFmnAdiI' +
  '1Qu2HMR6CF7ef9c+vnfXnbqS6fRj/IqRkSENPYtz5Fs2CNuQp+htbZyjTTBLMAkGA1UdEwQCMAAwDgYDVR0PAQH/BAQDAgeA' +
  'MBMGA1UdJQQMMAoGCCsGAQUFBwMBMBkGA1UdEQQSMBCCDmRvY3Rvci5pbnZhbGlkMAoGCCqGSM49BAMCA0gAMEUCIQCTGoWY' +
  'MQ2Fp914ecS1rQ120YRXNqDvmErW3X/jQSjGqAIgWHnorhpFEkThvs4YQSXOPuAr3VtKkbmtMm91aMaGBmo='
