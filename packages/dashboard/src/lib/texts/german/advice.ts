import type { AdviceTexts } from '../english/advice.ts'

export const advice: AdviceTexts = {
  lastAttemptFailed: 'Der letzte Versuch ist fehlgeschlagen',
  lastAttemptsFailed: 'Die letzten Versuche sind fehlgeschlagen',
  fixTarget: 'Beheben Sie den Fehler am Ziel.',
  failing: (cause, age) => `${cause}. Seit ${age} war keine Zustellung erfolgreich.`,
  exhausted: {
    title: 'Einige Zustellungen sind endgültig fehlgeschlagen: Kein Versuch war erfolgreich.',
    body: 'Das Abonnement funktioniert jetzt wieder. Stellen Sie sie erneut zu, wenn Sie sie noch brauchen.',
  },
  gone: (cause) => `${cause}. Deshalb wurde das Abonnement deaktiviert.`,
  failedForDays: 'Fünf Tage lang war keine Zustellung erfolgreich. Deshalb wurde das Abonnement deaktiviert.',
  keyEnded: 'Der API-Schlüssel des Abonnements wurde widerrufen oder ist abgelaufen. Deshalb wird nichts zugestellt.',
  giveKeyToProgram:
    'Geben Sie dem Programm, das das Abonnement angelegt hat, einen anderen API-Schlüssel dieses Kontos.',
  giveKeyTo: (integration) => `Hinterlegen Sie in ${integration} einen anderen API-Schlüssel dieses Kontos.`,
  disabledByAccount: 'Jemand aus Ihrem Konto hat dieses Abonnement deaktiviert.',
  enableAgain: 'Aktivieren Sie es, um neue Ereignisse wieder zuzustellen.',
  missed: 'Verpasste Zustellungen können anschließend erneut zugestellt werden.',
  disabledByPlatform: {
    title: 'Die Plattform hat dieses Abonnement deaktiviert.',
    body: 'Wenden Sie sich an den Support, um es wieder aktivieren zu lassen.',
  },
  retryNow: {
    alone: 'Wiederholen Sie den Versuch jetzt: Sobald eine Zustellung gelingt, folgen die übrigen von selbst.',
    after: 'Wiederholen Sie dann den Versuch: Sobald eine Zustellung gelingt, folgen die übrigen von selbst.',
  },
  enable: { alone: 'Aktivieren Sie das Abonnement.', after: 'Aktivieren Sie dann das Abonnement.' },
  createAgain: {
    alone: 'Legen Sie das Abonnement mit dem Programm, das es angelegt hat, noch einmal an.',
    after: 'Legen Sie dann das Abonnement mit dem Programm, das es angelegt hat, noch einmal an.',
  },
  turnOffAndOn: (integration) => ({
    alone: `Schalten Sie die Automatisierung in ${integration} aus und wieder ein; dadurch wird das Abonnement noch einmal angelegt.`,
    after: `Schalten Sie dann die Automatisierung in ${integration} aus und wieder ein; dadurch wird das Abonnement noch einmal angelegt.`,
  }),
  contactSupport: {
    alone: 'Wenden Sie sich an den Support, um das Abonnement aktivieren zu lassen.',
    after: 'Wenden Sie sich dann an den Support, um das Abonnement aktivieren zu lassen.',
  },
  resendIt: { alone: 'Stellen Sie das Ereignis erneut zu.', after: 'Stellen Sie das Ereignis dann erneut zu.' },
  resendTheDelivery: 'Stellen Sie das Ereignis dann erneut zu.',
  afterThatResendIt: 'Stellen Sie danach das Ereignis erneut zu.',
  delivered: 'Das Ereignis wurde zugestellt.',
  queued: 'Die Zustellung wartet.',
  queuedBody:
    'Sie wartet auf ihren ersten Versuch. Ist das Abonnement pausiert, folgt der erste Versuch nach der Pause.',
  retries: 'Der Versuch wird automatisch wiederholt. Sie können ihn auch jetzt wiederholen.',
  skipped: 'Die Zustellung wurde von Hand übersprungen.',
  resendIfWanted: 'Stellen Sie das Ereignis erneut zu, wenn Sie es noch brauchen.',
  expired: 'Das Ereignis ist abgelaufen, bevor es zugestellt wurde.',
  cannotResend: 'Seine Aufbewahrungsfrist ist zu Ende. Es kann nicht erneut zugestellt werden.',
  endedDisabled: 'Die Zustellung endete, als das Abonnement deaktiviert wurde.',
  enabledAgain: 'Das Abonnement ist wieder aktiv. Stellen Sie das Ereignis erneut zu, wenn Sie es noch brauchen.',
}
