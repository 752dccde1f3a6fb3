export { german } from './lib/texts/german.ts'
