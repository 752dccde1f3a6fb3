import type { EventTexts } from '../english/events.ts'

export const events: EventTexts = {
  title: 'Ereignisse',
  lead: 'Alles, was in Ihrem Konto veröffentlicht wurde, Neuestes zuerst',
  caption: 'Ereignisse, neueste zuerst',
  event: 'Ereignis',
  subject: 'Objekt',
  occurred: 'Zeitpunkt',
  showAll: 'Alle Ereignisse anzeigen',
  noneOlder: 'Keine älteren Ereignisse',
  noneFound: {
    title: 'Keine passenden Ereignisse',
    body: (type) => `In letzter Zeit gab es keine Ereignisse vom Typ ${type}.`,
  },
  noneYet: {
    title: 'Noch keine Ereignisse',
    body: 'Ereignisse Ihres Kontos erscheinen hier, sobald sie veröffentlicht werden.',
  },
  sequence: 'Laufende Nummer',
  sequenceOfSubject: (number, aside) => [number, ' ', aside('innerhalb des Objekts')],
  correlationId: 'Korrelations-ID',
  envelope: 'Ereignis als JSON',
  envelopeName: 'Ereignis als JSON',
  personalDataHidden: 'Personenbezogene Daten sind ausgeblendet: Sie dürfen sie nicht sehen.',
  inVersion: (version) => `In Version ${version}`,
  compare: 'Mit einer Formatversion vergleichen',
  compareWith: 'Vergleichen mit …',
  stored: (version) => `Gespeichert, Version ${version}`,
  storedName: 'Gespeichertes Ereignis',
  asSentIn: (version) => `Wie in Version ${version} gesendet`,
  convertedName: 'Umgewandeltes Ereignis',
  deliveriesCaption: 'Zustellungen dieses Ereignisses, neueste Abonnements zuerst',
  noDeliveries: {
    title: 'Keine Zustellungen',
    body: (type) => `Als dieses Ereignis veröffentlicht wurde, gab es kein Abonnement für ${type}.`,
  },
}
