import type { FormatVersionTexts } from '../english/format-versions.ts'

export const formatVersions: FormatVersionTexts = {
  title: 'Formatversion',
  ended: (served) => `(eingestellt; erhält ${served})`,
  deprecated: '(veraltet)',
  current: '(aktuell)',
  hasEnded: (version) => `Die Formatversion ${version} wurde eingestellt.`,
  getsInstead: (served) => `Ereignisse haben stattdessen das Format der Version ${served}.`,
  isDeprecated: (version) => `Die Formatversion ${version} ist veraltet.`,
  endsOn: (date) => ['Sie wird am ', date, ' eingestellt.'],
  mayEndOn: (date) => ['Sie wird möglicherweise am ', date, ' eingestellt.'],
  whatChanges: 'Was sich ändert',
  notOffered: 'Diese Formatversion ist nicht mehr verfügbar. Wählen Sie eine andere.',
}
