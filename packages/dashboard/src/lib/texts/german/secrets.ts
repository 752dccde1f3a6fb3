import type { SecretTexts } from '../english/secrets.ts'

export const secrets: SecretTexts = {
  title: 'Signaturgeheimnis',
  name: 'Signaturgeheimnis',
  shownOnce:
    'Das Signaturgeheimnis wurde nur beim Anlegen angezeigt. Ist es verloren oder in fremde Hände gelangt, erneuern Sie es.',
  previousUntil: (until) => ['Das vorige Signaturgeheimnis signiert zusätzlich bis ', until, '.'],
  howToVerify: 'Wie Sie Zustellungen prüfen',
  verify: 'Zustellungen prüfen',
  verifyBody: (variable) => [
    'Jede Zustellung ist mit dem Signaturgeheimnis signiert (Standard Webhooks). Prüfen Sie die Signatur, bevor Sie dem Inhalt vertrauen. Die Beispiele lesen das Geheimnis aus ',
    variable,
    '.',
  ],
  verifying: 'Eine Zustellung prüfen',
  codeIn: (language) => `Code in ${language}`,
  keepIn: (variable) => [
    'Setzen Sie es als ',
    variable,
    ' in der Umgebung Ihres Empfängers; er braucht es, um Zustellungen zu prüfen.',
  ],
  rotate: 'Geheimnis erneuern',
  rotateQuestion:
    'Damit entsteht ein neues Signaturgeheimnis, das einmal angezeigt wird. Solange beide signieren, kann Ihr Empfänger mit jedem der beiden prüfen.',
  rotationInProgress: (until) => [
    'Eine Erneuerung läuft bereits: Das vorige Signaturgeheimnis signiert zusätzlich bis ',
    until,
    '. Wenn Sie noch einmal erneuern, wird das vorige sofort ungültig.',
  ],
  forbidden: {
    title: 'Sie können dieses Signaturgeheimnis nicht erneuern',
    body: 'Bitten Sie jemanden, der personenbezogene Daten sehen darf, es zu erneuern.',
  },
  overlap: 'So lange bleibt das alte Signaturgeheimnis gültig',
  rotated: 'Signaturgeheimnis erneuert',
  oldUntil: (until) => ['Das alte Signaturgeheimnis signiert zusätzlich bis ', until, '.'],
  onlyNew: 'Ab jetzt signiert nur noch das neue Signaturgeheimnis.',
}
