import { describeStore } from '@callboard/store-conformance'
import { memoryFixture } from './testing/memory-fixture.ts'

describeStore('memory', memoryFixture)
