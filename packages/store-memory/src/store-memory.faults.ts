import { describeModel } from '@callboard/store-conformance'
import { memoryFixture } from './testing/memory-fixture.ts'

describeModel('memory', memoryFixture, { runs: 5000 })
