import { checkWhileTyping } from './check.ts'
import { copyOnClick } from './copy.ts'
import { submitFilters } from './filters.ts'
import { sendOnce } from './forms.ts'
import { refreshLive } from './live.ts'
import { closeMenus } from './menus.ts'
import { openRows } from './rows.ts'
import { offerAll } from './select-all.ts'
import { goThroughSteps } from './steps.ts'
import { keepZone, showTimes } from './times.ts'

/**
 * Prepares the content of the page when it is loaded, and new content at each refresh. Listeners are not added here:
 * they are on the document, so they must be added only once.
 */
function enhance(within: ParentNode): void {
  showTimes(within)
  offerAll(within)
}

document.documentElement.dataset['script'] = 'on'
keepZone()
enhance(document)
// On a phone, the tabs scroll sideways.
document.querySelector('.tabs [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
setInterval(() => showTimes(document), 10_000)
sendOnce()
goThroughSteps()
copyOnClick()
checkWhileTyping()
submitFilters()
closeMenus()
openRows()
refreshLive(enhance)
