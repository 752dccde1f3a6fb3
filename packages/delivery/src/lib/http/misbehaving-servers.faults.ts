import { RUNTIMES } from '@callboard/runtimes'
import { describe } from 'vitest'
import { describeMisbehaviours } from '../../test/misbehaviours/describe-misbehaviours.ts'
import { MISBEHAVIOURS } from '../../test/misbehaviours/misbehaviours.ts'

describe.each(RUNTIMES)('on $name, the transport survives', (runtime) => describeMisbehaviours(runtime, MISBEHAVIOURS))
