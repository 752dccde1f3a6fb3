export { pathPattern } from './lib/path-pattern.ts'
export { isPlainPath } from './lib/plain-path.ts'
export { type BodyFault, declaresMoreThan, readBody } from './lib/read-body.ts'
export { type RequestLine, requestLine } from './lib/request-line.ts'
