export { startPostgres, type TestPostgres } from './lib/test-postgres.ts'
