export { describeExample } from './describe-example.ts'
export { type ExampleProcess, startExample } from './example-process.ts'
export { startTarget, type Target } from './target.ts'
