import type { TestEventTexts } from '../english/test-events.ts'

export const testEvents: TestEventTexts = {
  title: 'Testereignis senden',
  lead: (host, mark) => [
    'An ',
    host,
    ': das Beispiel eines Ereignistyps, signiert wie eine Zustellung und mit ',
    mark,
    ' gekennzeichnet. Es wird nicht gespeichert.',
  ],
  send: 'Testereignis senden',
  sendAnother: 'Noch eines senden',
  notSent: 'Nicht gesendet',
  limited: ({ text, plural }) =>
    `Ihr Konto hat zu viele Testereignisse gesendet. Warten Sie ${text} ${plural === 'one' ? 'Sekunde' : 'Sekunden'}.`,
  accepted: 'Das Ziel hat das Testereignis angenommen.',
  response: 'Antwort',
  responseName: 'Antwort',
  request: 'Anfrage',
  bodyName: 'Inhalt',
  status: 'Status',
  noStatus: 'keiner',
  duration: 'Dauer',
  emptyResponse: 'Die Antwort hat keinen Inhalt.',
}
