import type { ProblemTexts } from '../english/problems.ts'

export const problems: ProblemTexts = {
  notFound: {
    title: 'Nicht gefunden',
    text: 'Diese Seite gibt es nicht, oder ihr Inhalt wurde entfernt.',
  },
  notAllowed: {
    title: 'Kein Zugriff',
    text: 'Dazu sind Sie nicht berechtigt. Bitten Sie die Administration Ihres Kontos um Zugriff.',
  },
  forged: {
    title: 'Anfrage abgelehnt',
    text: 'Die Anfrage kam nicht von dieser Seite. Es wurde nichts geändert. Laden Sie die Seite neu, und versuchen Sie es noch einmal.',
  },
  invalid: 'Ungültige Anfrage',
  managed: {
    title: 'Wird anderswo verwaltet',
    text: 'Das Abonnement wurde über die API angelegt. Ändern Sie es in dem Automatisierungsdienst oder Programm, das es angelegt hat.',
  },
  notEnabled: 'Nicht aktiviert',
  secretRotated: {
    title: 'Nicht erneuert',
    text: 'Das Signaturgeheimnis wurde bereits erneuert, und das neue wurde nur einmal angezeigt. Hat niemand das neue gespeichert, öffnen Sie das Abonnement, und erneuern Sie das Geheimnis noch einmal.',
  },
  tooManyChanges: {
    title: 'Zu viele Änderungen',
    text: ({ text, plural }) =>
      `Ihr Konto hat in einer Minute zu viel geändert, deshalb wurde nichts geändert. Versuchen Sie es in ${text} ${plural === 'one' ? 'Sekunde' : 'Sekunden'} noch einmal.`,
  },
  unavailable: {
    title: 'Vorübergehend nicht verfügbar',
    text: 'Versuchen Sie es in einigen Sekunden noch einmal.',
  },
  unexpected: {
    title: 'Bei uns ist ein Fehler aufgetreten',
    text: 'Versuchen Sie es noch einmal. Besteht das Problem weiter, wenden Sie sich an den Support, und nennen Sie die folgende Referenz.',
  },
  reference: 'Referenz:',
  back: 'Zurück zum Dashboard',
  unreadableForm:
    'Das Formular konnte nicht gelesen werden. Laden Sie die Seite neu, und versuchen Sie es noch einmal.',
  formTooLarge: 'Das Formular ist zu groß.',
  formIncomplete: 'Das Formular kam unvollständig an. Senden Sie es noch einmal ab.',
  summary: 'Bitte prüfen Sie Ihre Eingaben',
  otherIssue: () => 'Eine Angabe ist ungültig. Laden Sie die Seite neu, und versuchen Sie es noch einmal.',
}
