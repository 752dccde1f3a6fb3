import { RUNTIMES } from '@callboard/runtimes'
import { describe } from 'vitest'
import { describeMisbehaviours } from '../../test/misbehaviours/describe-misbehaviours.ts'
import { MISBEHAVIOURS } from '../../test/misbehaviours/misbehaviours.ts'

describe.each(RUNTIMES)('the transport on $name', (runtime) => describeMisbehaviours(runtime, MISBEHAVIOURS))
