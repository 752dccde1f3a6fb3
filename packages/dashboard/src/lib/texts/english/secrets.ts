import type { Html } from '../../html.ts'

export type SecretTexts = typeof secrets

/** The signing secret of a subscription, and how to verify deliveries with it. */
export const secrets = {
  title: 'Signing secret',
  /** Completes the name of the secret's copy button: “Copy signing secret”. */
  name: 'signing secret',
  shownOnce: 'The secret was shown once, when it was created. If it is lost or has leaked, rotate it.',
  previousUntil: (until: Html): Html => ['The previous secret also signs until ', until, '.'],
  howToVerify: 'How to verify deliveries',
  verify: 'Verify deliveries',
  verifyBody: (variable: Html): Html => [
    'Each delivery is signed with the secret (Standard Webhooks). Verify the signature before you trust the body. The examples read the secret from ',
    variable,
    '.',
  ],
  verifyHeaders: 'Verify one of these headers before you trust the body.',
  hmacKey: 'The whole text of the secret is the key of an HMAC.',
  signatures: 'Signatures',
  hmac: {
    body: (header: Html, encoding: string): Html => [header, `: HMAC-SHA256 of the body, in ${encoding}.`],
    'timestamp.body': (header: Html, encoding: string): Html => [
      header,
      `: HMAC-SHA256 of the timestamp, a full stop and the body, in ${encoding}.`,
    ],
  },
  timestampIn: (header: Html): Html => ['The timestamp is in ', header, '.'],
  receivingGuide: 'How to receive deliveries',
  verifying: 'Verifying a delivery',
  codeIn: (language: string): string => `the code in ${language}`,
  keepIn: (variable: Html): Html => [
    'Set it as ',
    variable,
    ' in the environment of your receiver, which needs it to verify deliveries.',
  ],
  rotate: 'Rotate secret',
  rotateQuestion: 'This creates a new secret, which is shown once.',
  bothSign: 'While both secrets sign, your receiver can verify with either.',
  /** Names the headers that do not have a signature of each secret. */
  newestOnly: (headers: string): string =>
    `${headers} is signed with the newest secret only: a receiver that verifies it refuses deliveries until it has the new secret.`,
  rotationInProgress: (until: Html): Html => [
    'A rotation is in progress: the previous secret also signs until ',
    until,
    '. If you rotate again, that secret stops signing immediately.',
  ],
  forbidden: {
    title: 'You cannot rotate this secret',
    body: 'Ask someone who may see personal data to rotate it.',
  },
  overlap: 'Keep the old secret valid for',
  rotated: 'Secret rotated',
  oldUntil: (until: Html): Html => ['The old secret also signs until ', until, '.'],
  onlyNew: 'Only the new secret signs now.',
}
