import { checkWhileTyping } from './check.ts'
import { copyOnClick } from './copy.ts'
import { submitFilters } from './filters.ts'
import { sendOnce } from './forms.ts'
import { refreshLive } from './live.ts'
import { closeMenus } from './menus.ts'
import { openRows } from './rows.ts'
import { offerAll } from './select-all.ts'
import { goThroughSteps } from './steps.ts'
import { showTimes, showZone } from './times.ts'

/** Runs on load and after each refresh. Everything else listens on the document, so it runs once. */
function enhance(within: ParentNode): void {
  showTimes(within)
  offerAll(within)
}

document.documentElement.dataset['script'] = 'on'
enhance(document)
showZone()
setInterval(() => showTimes(document), 10_000)
sendOnce()
goThroughSteps()
copyOnClick()
checkWhileTyping()
submitFilters()
closeMenus()
openRows()
refreshLive(enhance)
