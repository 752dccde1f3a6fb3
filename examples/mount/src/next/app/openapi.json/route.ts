export { GET, HEAD } from '../v1/[...path]/route.ts'
