import { describeStore, describeTransactions } from '@callboard/store-conformance'
import { pgliteFixtures } from '../testing/postgres-fixtures.ts'

const fixtures = pgliteFixtures()
describeStore('pglite', fixtures)
describeTransactions('pglite', fixtures)
