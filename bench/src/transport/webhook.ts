/** The request to send: a kilobyte, with the headers of a delivery. */
export const WEBHOOK = {
  headers: {
    'content-type': 'application/json',
    'user-agent': 'bench',
    'webhook-id': 'evt_01jxyzabcdefghjkmnpqrstvwx',
    'webhook-timestamp': '1764000000',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  body: new TextEncoder().encode(JSON.stringify({ note: 'x'.repeat(1024 - 11) })),
}
