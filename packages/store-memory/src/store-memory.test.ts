import { describeModel, describeStore } from '@callboard/store-conformance'
import { memoryFixture } from './testing/memory-fixture.ts'

describeStore('memory', memoryFixture)
describeModel('memory', memoryFixture, { runs: 300 })
