import type { KeyTexts } from '../english/keys.ts'

export const keys: KeyTexts = {
  title: 'API-Schlüssel',
  one: 'API-Schlüssel',
  lead: {
    live: 'Mit diesen Schlüsseln rufen Automatisierungsdienste und Ihre eigenen Programme die API im Live-Modus auf.',
    test: 'Mit diesen Schlüsseln rufen Automatisierungsdienste und Ihre eigenen Programme die API im Testmodus auf.',
  },
  create: 'API-Schlüssel anlegen',
  view: 'Schlüssel ansehen',
  viewAll: 'API-Schlüssel ansehen',
  viewNew: 'Neuen Schlüssel ansehen',
  none: {
    title: 'Noch keine API-Schlüssel',
    create: 'Legen Sie einen an, und fügen Sie ihn in Ihren Automatisierungsdienst oder Ihr Programm ein.',
    ask: 'Bitten Sie die Administration Ihres Kontos, einen anzulegen.',
  },
  name: 'Name',
  scopes: 'Berechtigungen',
  noScopes: 'Keine Berechtigungen',
  lastUsed: 'Zuletzt verwendet',
  ends: 'Endet',
  states: { active: 'Aktiv', replaced: 'Erneuert', expired: 'Abgelaufen', revoked: 'Widerrufen' },
  replacedBy: (successor) => ['ersetzt durch ', successor('den neuen Schlüssel')],
  scope: {
    'webhooks.read': {
      first: 'Ereignisse lesen',
      further: 'Ereignisse lesen',
      label: 'Ereignisse und Ereignistypen lesen',
      meaning: 'Für Dienste, die neue Ereignisse abrufen oder die verfügbaren Ereignistypen auflisten.',
    },
    'webhooks.write': {
      first: 'Abonnements verwalten',
      further: 'Abonnements verwalten',
      label: 'Abonnements anlegen und entfernen',
      meaning:
        'Automatisierungsdienste wie Zapier, Make und n8n brauchen das, um Automatisierungen ein- und auszuschalten.',
    },
    'people.read': {
      first: 'Personenbezogene Daten sehen',
      further: 'personenbezogene Daten sehen',
      label: 'Personenbezogene Daten sehen',
      meaning:
        'Namen, E-Mail-Adressen und ähnliche Felder in Ereignissen, die der Schlüssel liest, und in Zustellungen an seine Abonnements.',
    },
  },
  form: {
    nameHint: 'Wo der Schlüssel verwendet wird, damit Sie später wissen, welchen Sie erneuern oder widerrufen müssen.',
    namePlaceholder: 'Zapier, Buchhaltung',
    scopesHint: 'Erteilen Sie nur, was der Dienst oder das Programm braucht.',
    notYours: 'Sie können diese Berechtigung nicht erteilen, weil Sie sie selbst nicht haben.',
    versionHint: 'Der Aufbau der Ereignisse, die das Programm erhält.',
    mode: { live: 'Der Schlüssel gilt im Live-Modus.', test: 'Der Schlüssel gilt im Testmodus.' },
    submit: 'Schlüssel anlegen',
    summary: 'Es wurde kein Schlüssel angelegt',
  },
  issues: {
    noScope: 'Wählen Sie mindestens eine Berechtigung.',
    notYours: 'Sie können keine Berechtigung erteilen, die Sie selbst nicht haben.',
    nameLength: (min, max) => `Geben Sie einen Namen mit ${min} bis ${max} Zeichen an.`,
    nameCharacters: 'Der Name darf keine Steuerzeichen und keine ungültigen Unicode-Zeichen enthalten.',
  },
  limitReached: {
    title: 'Ihr Konto hat die Höchstzahl an API-Schlüsseln erreicht',
    body: 'Widerrufen Sie einen Schlüssel, den Sie nicht mehr brauchen. Senden Sie dann dieses Formular noch einmal ab: Ihre Eingaben sind noch da.',
  },
  expiry: {
    title: 'Läuft ab',
    hint: 'Ein abgelaufener Schlüssel ist ungültig, und seine Abonnements werden deaktiviert. Erneuern Sie ihn vorher.',
    days: ({ text }) => `In ${text} Tagen`,
    year: 'In einem Jahr',
  },
  created: {
    title: 'Schlüssel angelegt',
    next: 'Fügen Sie ihn in den Dienst oder das Programm ein, das ihn braucht.',
  },
  rotated: {
    title: 'Schlüssel erneuert',
    replaceNow: 'Ersetzen Sie jetzt den alten Schlüssel: Er ist nicht mehr gültig.',
    replaceSoon: 'Ersetzen Sie bald den alten Schlüssel: Er bleibt nur so lange gültig, wie Sie gewählt haben.',
  },
  notRotated: {
    title: 'Nicht erneuert',
    heading: 'Dieser Schlüssel kann nicht mehr erneuert werden',
    body: 'Er wurde bereits erneuert, wurde widerrufen oder ist abgelaufen. Ein neuer Schlüssel wird nur einmal angezeigt: Wenn Sie ihn nicht kopiert haben, erneuern Sie den neuen.',
  },
  createdBefore: {
    title: 'Bereits angelegt',
    heading: 'Dieser Schlüssel wurde bereits angelegt',
    body: 'Es wurde kein zweiter Schlüssel angelegt. Ein Schlüssel wird nur einmal angezeigt: Wenn Sie ihn nicht kopiert haben, widerrufen Sie ihn, und legen Sie einen anderen an.',
  },
  tokenName: 'API-Schlüssel',
  keyId: 'Schlüssel-ID',
  activeSubscriptions: 'Aktive Abonnements',
  expires: 'Läuft ab',
  expired: 'Abgelaufen',
  revoked: 'Widerrufen',
  done: {
    revoked: 'Der API-Schlüssel wurde widerrufen. Er ist nicht mehr gültig.',
    moved: 'Die Formatversion wurde geändert.',
  },
  howToMove: 'Ändern Sie die Version dieses Schlüssels, sobald das Programm, das ihn verwendet, die neue versteht.',
  replaced: {
    title: (until) => ['Erneuert. Stellen Sie auf den neuen Schlüssel um: Dieser gilt noch bis ', until, '.'],
    body: 'Seine Abonnements verwenden bereits den neuen Schlüssel. Zustellungen werden nicht unterbrochen.',
  },
  ended: {
    revoked: 'Widerrufen. Dieser Schlüssel ist nicht mehr gültig.',
    expired: 'Abgelaufen. Dieser Schlüssel ist nicht mehr gültig.',
    taken: 'Der neue Schlüssel hat seine Abonnements übernommen.',
    disabled:
      'Seine Abonnements sind deaktiviert. Geben Sie dem Dienst einen anderen Schlüssel, und schalten Sie seine Automatisierungen wieder ein: Ab dann wird wieder zugestellt.',
  },
  actions: {
    revoke: 'Widerrufen',
    revokeQuestion: 'Der Schlüssel wird sofort ungültig. Das lässt sich nicht rückgängig machen.',
    revokeConfirm: 'Schlüssel widerrufen',
    noneDepends: 'Kein aktives Abonnement hängt von ihm ab.',
    depend: ({ text, plural }) =>
      plural === 'one'
        ? '1 aktives Abonnement hängt von ihm ab und wird deaktiviert. Soll es aktiv bleiben, erneuern Sie den Schlüssel stattdessen.'
        : `${text} aktive Abonnements hängen von ihm ab und werden deaktiviert. Sollen sie aktiv bleiben, erneuern Sie den Schlüssel stattdessen.`,
    move: 'Version ändern',
    moveQuestion: 'Das Programm, das den Schlüssel verwendet, erhält Ereignisse sofort in einem anderen Format.',
    moveHint: 'Gilt für Anfragen mit diesem Schlüssel. Seine Abonnements behalten ihre eigenen Versionen.',
    rotate: 'Erneuern',
    rotateQuestion:
      'Sie erhalten einen neuen Schlüssel mit denselben Berechtigungen. Er übernimmt die Abonnements dieses Schlüssels, sodass Zustellungen nicht unterbrochen werden. Hat dieser Schlüssel selbst einen anderen ersetzt, endet dieser älteste Schlüssel sofort.',
    rotateConfirm: 'Schlüssel erneuern',
    overlap: 'So lange bleibt der alte Schlüssel gültig',
  },
}
