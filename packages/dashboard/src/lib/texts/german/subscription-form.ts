import type { SubscriptionFormTexts } from '../english/subscription-form.ts'

export const subscriptionForm: SubscriptionFormTexts = {
  create: 'Abonnement anlegen',
  created: 'Abonnement angelegt',
  createdLead: 'Neue Ereignisse werden an dieses Ziel gesendet.',
  edit: 'Abonnement bearbeiten',
  editLead: (host) => [
    host,
    '. Wenn Sie das Ziel ändern, gehen ausstehende und zu wiederholende Zustellungen an das neue. Geänderte Ereignistypen gelten nur für neue Ereignisse.',
  ],
  save: 'Änderungen speichern',
  targetUrl: 'Ziel-URL',
  targetUrlHint: 'Eine öffentliche https://-URL von Ihnen. Ereignisse werden als POST-Anfragen dorthin gesendet.',
  targetUsable: '✓ Dieses Ziel kann verwendet werden.',
  targetUnusable: 'Dieses Ziel kann nicht verwendet werden.',
  name: 'Name',
  nameHint: 'Optional. Hilft Ihnen, das Abonnement wiederzuerkennen.',
  versionHint:
    'Der Aufbau der Ereignisse, die der Empfänger erhält. Wählen Sie eine ältere Version nur, wenn der Empfänger sie braucht.',
  eventTypesHint: 'Wählen Sie, welche Ereignisse gesendet werden.',
  noLongerOffered: 'Nicht mehr verfügbar',
  sample: 'Beispiel',
  sampleOf: (type) => ` für ${type}`,
  sampleName: (type) => `Beispiel für ${type}`,
  sendPersonalData: 'Personenbezogene Daten senden',
  personalDataHint:
    'Namen, E-Mail-Adressen und ähnliche Felder, wie in den Beispielen. Wählen Sie das nur, wenn der Empfänger sie braucht. Andernfalls werden sie vor dem Senden entfernt.',
  forbidden: {
    title: 'Sie können dieses Abonnement nicht bearbeiten',
    callout: 'Dieses Abonnement erhält personenbezogene Daten, die Sie nicht sehen dürfen',
    body: 'Bitten Sie jemanden, der personenbezogene Daten sehen darf, es zu bearbeiten. Deaktivieren oder entfernen können Sie das Abonnement trotzdem.',
  },
  createdBefore: {
    title: 'Bereits angelegt',
    heading: 'Dieses Abonnement wurde bereits angelegt',
    body: 'Es wurde kein zweites Abonnement angelegt. Das Signaturgeheimnis wird nur einmal angezeigt: Wenn es niemand kopiert hat, öffnen Sie das Abonnement, und erneuern Sie das Geheimnis.',
  },
  limitReached: {
    title: 'Ihr Konto hat die Höchstzahl an Abonnements erreicht',
    body: 'Entfernen Sie ein Abonnement, das Sie nicht mehr brauchen, oder schalten Sie eine Automatisierung aus. Senden Sie dann dieses Formular noch einmal ab: Ihre Eingaben sind noch da.',
  },
  tooManyNew: {
    title: 'Ihr Konto hat in einer Minute zu viele Abonnements angelegt',
    body: ({ text, plural }) =>
      `Warten Sie ${text} ${plural === 'one' ? 'Sekunde' : 'Sekunden'}. Senden Sie dann dieses Formular noch einmal ab: Ihre Eingaben sind noch da.`,
  },
  issues: {
    target:
      'Verwenden Sie eine öffentliche https://-URL mit einem Domainnamen und einem Standardport, ohne Benutzernamen, Passwort oder #Fragment.',
    eventTypesCount: (min, max) => `Wählen Sie ${min} bis ${max} Ereignistypen.`,
    eventTypesUnknown:
      'Ein gewählter Ereignistyp ist nicht mehr verfügbar oder fehlt in dieser Formatversion. Prüfen Sie Ihre Auswahl.',
    changePending:
      'Zustellungen aus der Zeit vor der letzten Änderung der Ereignistypen stehen noch aus. Warten Sie, bis sie gesendet sind, und ändern Sie dann die Ereignistypen. Können sie nicht gesendet werden, deaktivieren Sie zuerst das Abonnement: Damit enden sie.',
    nameLength: (max) => `Der Name darf höchstens ${max} Zeichen lang sein.`,
    nameCharacters: 'Der Name darf keine Steuerzeichen und keine ungültigen Unicode-Zeichen enthalten.',
  },
}
