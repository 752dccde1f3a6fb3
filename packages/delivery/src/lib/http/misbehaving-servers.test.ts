import { RUNTIMES } from '@callboard/runtimes'
import { describe } from 'vitest'
import { describeMisbehaviours } from '../../test/misbehaviours/describe-misbehaviours.ts'
import { MISBEHAVIOURS } from '../../test/misbehaviours/misbehaviours.ts'

// Runs only the quick cases, on one runtime; `misbehaving-servers.faults.ts` runs all cases on all runtimes.
const quick = Object.entries(MISBEHAVIOURS).map(
  ([group, all]) => [group, all.filter(({ hangs = false, pause = false }) => !hangs && !pause)] as const,
)

describe.each(RUNTIMES.filter(({ name }) => name === 'Node 24'))('the transport on $name', (runtime) =>
  describeMisbehaviours(runtime, Object.fromEntries(quick.filter(([, some]) => some.length > 0))),
)
