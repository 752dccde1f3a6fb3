import { BAD_TLS } from './bad-tls.ts'
import { BROKEN_HTTP } from './broken-http.ts'
import { ENDINGS } from './endings.ts'
import { ENDLESSNESS } from './endlessness.ts'
import { FRAMING } from './framing.ts'
import { KEPT_CONNECTIONS } from './kept-connections.ts'
import type { Misbehaviour } from './misbehaviour.ts'
import { SILENCES } from './silences.ts'
import { STATUS_LINES } from './status-lines.ts'
import { TEMPTATIONS } from './temptations.ts'

/** All the ways in which targets are known to misbehave, by topic. */
export const MISBEHAVIOURS: Readonly<Record<string, readonly Misbehaviour[]>> = {
  'silence and drips': SILENCES,
  'no end': ENDLESSNESS,
  'bad TLS': BAD_TLS,
  'early ends': ENDINGS,
  'broken HTTP': BROKEN_HTTP,
  framing: FRAMING,
  'status lines': STATUS_LINES,
  temptations: TEMPTATIONS,
  'kept connections': KEPT_CONNECTIONS,
}
