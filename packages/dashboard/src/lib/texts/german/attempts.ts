import type { AttemptTexts } from '../english/attempts.ts'

const CONTACT_SUPPORT = 'Das Ziel ist nicht die Ursache. Wenden Sie sich an den Support.'

export const attempts: AttemptTexts = {
  reasons: {
    blocked: {
      short: 'Adresse nicht erlaubt',
      cause: 'Es wurde nichts gesendet: Die Adresse des Ziels ist nicht erlaubt',
      fix: 'Verwenden Sie ein Ziel mit einer öffentlichen Adresse und Port 443.',
    },
    dns: {
      short: 'DNS-Abfrage fehlgeschlagen',
      cause: 'Der Hostname des Ziels konnte nicht aufgelöst werden',
      fix: 'Prüfen Sie das Ziel auf Tippfehler und die DNS-Einträge seines Hostnamens.',
    },
    connect: {
      short: 'Verbindung fehlgeschlagen',
      cause: 'Das Ziel hat keine Verbindung angenommen',
      fix: 'Prüfen Sie, ob der Server läuft und ob seine Firewall Anfragen von außen zulässt.',
    },
    tls: {
      short: 'TLS-Handshake fehlgeschlagen',
      cause: 'Der TLS-Handshake ist fehlgeschlagen oder hat zu lange gedauert',
      fix: 'Prüfen Sie, ob der Server auf diesem Port TLS 1.2 oder 1.3 anbietet und ob er überlastet ist.',
    },
    certificate: {
      short: 'Zertifikat abgelehnt',
      cause: 'Das Zertifikat des Ziels ist nicht vertrauenswürdig, abgelaufen oder für einen anderen Host ausgestellt',
      fix: 'Erneuern Sie bei Bedarf das Zertifikat, und liefern Sie es mit der vollständigen Zertifikatskette aus.',
    },
    timeout: {
      short: 'Zeit überschritten',
      cause: 'Das Ziel hat nicht rechtzeitig geantwortet',
      fix: 'Antworten Sie innerhalb weniger Sekunden, und verarbeiten Sie das Ereignis danach.',
    },
    reset: {
      short: 'Verbindung geschlossen',
      cause: 'Die Verbindung wurde geschlossen, bevor das Ziel geantwortet hat',
      fix: 'Prüfen Sie die Protokolle des Ziels und eines vorgeschalteten Proxys, um zu sehen, was die Anfrage beendet hat.',
    },
    protocol: {
      short: 'ungültige HTTP-Antwort',
      cause: 'Das Ziel hat keine gültige HTTP-Antwort gesendet',
      fix: 'Prüfen Sie, ob der Server auf diesem Host und Port ein Webserver ist.',
    },
    headers: {
      short: 'Antwort-Header zu groß',
      cause: 'Die Header der Antwort des Ziels sind größer als 16 KiB',
      fix: 'Senden Sie weniger oder kürzere Header. Meist sind Cookies die Ursache, und eine Zustellung braucht keine.',
    },
    aborted: {
      short: 'bei uns unterbrochen',
      cause: 'Der Versuch wurde bei uns unterbrochen',
    },
    unprepared: {
      short: 'nicht gesendet, Fehler bei uns',
      cause: 'Es wurde nichts gesendet: Die Anfrage konnte bei uns nicht vorbereitet werden',
      fix: CONTACT_SUPPORT,
    },
    crashed: {
      short: 'Fehler bei uns',
      cause: 'Der Versuch ist wegen eines Fehlers bei uns fehlgeschlagen',
      fix: CONTACT_SUPPORT,
    },
  },
  otherReason: (reason) => ({
    short: `keine Antwort (${reason})`,
    cause: 'Das Ziel hat nicht geantwortet',
    fix: CONTACT_SUPPORT,
  }),
  unknown: 'unbekannt',
  expired: { short: 'Ereignis abgelaufen', cause: 'Das Ereignis ist abgelaufen, bevor es gesendet wurde' },
  returned: (status) => `Das Ziel hat ${status} geantwortet`,
  redirect: (status) => ({
    short: `${status}, Weiterleitung nicht befolgt`,
    cause: `Das Ziel hat eine Weiterleitung (${status}) geantwortet, und Weiterleitungen werden nicht befolgt`,
    fix: 'Verwenden Sie die URL, auf die es weiterleitet, als Ziel.',
  }),
  fixes: {
    '4xx': 'Prüfen Sie die Protokolle des Ziels und seine Antwort, um zu sehen, warum es das Ereignis abgelehnt hat.',
    '5xx': 'Prüfen Sie die Protokolle des Ziels und seine Antwort, um zu sehen, was schiefgegangen ist.',
    401: 'Verlangen Sie keine Anmeldung: Die Signatur beweist, woher eine Zustellung kommt.',
    403: 'Prüfen Sie, ob eine Firewall oder Zugriffsregel die Zustellungen blockiert.',
    404: 'Prüfen Sie den Pfad des Ziels: Dort gibt es nichts, oder die Automatisierung ist ausgeschaltet.',
    405: 'Nehmen Sie unter dieser URL POST-Anfragen an.',
    410: 'Stellen Sie das Ziel wieder her, oder verwenden Sie ein anderes: Es existiert nicht mehr, oder seine Automatisierung ist ausgeschaltet.',
    413: 'Nehmen Sie größere Inhalte an: Ein Ereignis kann bis zu 256 KiB groß sein.',
    415: 'Nehmen Sie Inhalte vom Typ application/json an.',
    429: 'Erhöhen Sie die Anfragegrenze des Ziels, oder warten Sie eine Weile.',
  },
}
