import { refreshLive } from './live.ts'
import { showTimes } from './times.ts'

showTimes(document)
refreshLive(() => showTimes(document))
