export { startPostgres, type TestPostgres } from './lib/test-postgres.ts'
export {
  type Answer,
  type AnswerWithStatus,
  type Received,
  startReceiver,
  type TestReceiver,
} from './lib/test-receiver.ts'
